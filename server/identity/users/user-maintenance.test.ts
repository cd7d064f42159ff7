import { describe, expect, it } from 'vitest'
import { engines, openTestDatabase } from '../../testing/database/test-database.ts'
import { addUser } from '../../testing/factories/users.ts'
import { disableUserRow } from './managed-user-store.ts'
import { processPendingUsers } from './user-maintenance.ts'

describe.each(engines)('the maintenance of users on %s', (engine) => {
  it('deletes a user whom the operator deletes while the tokens are being revoked (§15.36)', async () => {
    const database = await openTestDatabase(engine)
    const { db } = database
    const { id } = await addUser(db, { id: 'ada' })
    await disableUserRow(db, id, { disabled_at: 1, pending: 'revoke' })
    const options = {
      database,
      embedded: true,
      deleteChats: () => Promise.resolve(),
      onError: () => undefined,
    }
    await processPendingUsers({
      ...options,
      revokeTokens: () => disableUserRow(db, id, { disabled_at: 2, pending: 'delete' }),
    })
    await processPendingUsers({ ...options, revokeTokens: () => Promise.resolve() })
    const users = await db.selectFrom('users').select('id').execute()
    await database.close()
    expect(users).toEqual([])
  })
})
