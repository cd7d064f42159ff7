import { describe, expect, it } from 'vitest'
import { engines, openTestDatabase } from '../testing/database/test-database.ts'
import { addUser } from '../testing/factories/users.ts'
import { disconnected, insertIntegration, integrationLease } from './integration-store.ts'

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
    const { reserve, release } = integrationLease(database, row)
    const ranOut = await reserve(-1_000)
    const current = await reserve(30_000)
    await release(ranOut!)
    expect(await reserve(30_000)).toBeUndefined()
    await release(current!)
    expect(await reserve(30_000)).toBeGreaterThan(0)
    await database.close()
  })
})
