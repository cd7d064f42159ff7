import { describe, expect, it } from 'vitest'
import { engines, openTestDatabase } from '../testing/database/test-database.ts'
import { addUser } from '../testing/factories/users.ts'
import {
  acquireRefreshLease,
  disconnected,
  insertIntegration,
  releaseRefreshLease,
} from './integration-store.ts'

describe.each(engines)('a lease to refresh tokens on %s', (engine) => {
  it('is not released by its former holder after it ran out', async () => {
    const database = await openTestDatabase(engine)
    const { db } = database
    const { id } = await addUser(db, { id: 'ada' })
    const row = {
      ...disconnected,
      user_id: id,
      name: 'google-gmail',
      version: 1,
      tokens: 'sealed',
      call_error: null,
      refreshing_until: null,
      created_at: 1,
    }
    await insertIntegration(db, row)
    const acquire = (leaseMs: number) => acquireRefreshLease(database, row, leaseMs)
    const ranOut = await acquire(-1_000)
    const current = await acquire(30_000)
    await releaseRefreshLease(db, row, ranOut!)
    expect(await acquire(30_000)).toBeUndefined()
    await releaseRefreshLease(db, row, current!)
    expect(await acquire(30_000)).toBeGreaterThan(0)
    await database.close()
  })
})
