import { describe, expect, it } from 'vitest'
import { engines, openTestDatabase } from '../../testing/database/test-database.ts'
import { addChat } from '../../testing/factories/chats.ts'
import { addUser } from '../../testing/factories/users.ts'
import { clearRevoke, disableUserRow, enableUserRow } from './managed-user-store.ts'
import { processPendingUsers } from './user-maintenance.ts'

const noWork = { deleteData: () => Promise.resolve(), onError: () => undefined }

describe.each(engines)('the maintenance of users on %s', (engine) => {
  it('deletes a user whom the operator deletes while the tokens are being revoked', async () => {
    const database = await openTestDatabase(engine)
    const { db } = database
    const { id } = await addUser(db, { id: 'ada' })
    await disableUserRow(db, id, { disabled_at: 1, pending: 'revoke' })
    const options = {
      database,
      embedded: true,
      ...noWork,
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

  it.each([
    ['disabled', false],
    ['enabled again', true],
  ])('waits for the replies of a user only while the user is disabled: %s', async (_name, isEnabled) => {
    const database = await openTestDatabase(engine)
    const { db } = database
    const { id } = await addUser(db, { id: 'ada', disabled_at: isEnabled ? null : 1, pending: 'revoke' })
    const chat = await addChat(db, { user_id: id })
    await db
      .insertInto('runs')
      .values({
        chat_id: chat.id,
        user_id: id,
        message_id: 'a',
        status: 'running',
        node_id: 'here',
        lease_until: 1,
        last_seq: 1,
        stop_requested: 0,
        started_at: 1,
      })
      .execute()
    const revoked: string[] = []
    await processPendingUsers({
      database,
      embedded: true,
      ...noWork,
      async revokeTokens(userId) {
        revoked.push(userId)
      },
    })
    const users = await db.selectFrom('users').select('pending').execute()
    await database.close()
    expect(revoked).toEqual(isEnabled ? [id] : [])
    expect(users).toEqual([{ pending: isEnabled ? null : 'revoke' }])
  })

  it('revokes the tokens again when a user is enabled and disabled meanwhile', async () => {
    const database = await openTestDatabase(engine)
    const { db } = database
    const { id } = await addUser(db, { id: 'ada', disabled_at: 1, pending: 'revoke' })
    let revocations = 0
    const options = {
      database,
      embedded: true,
      ...noWork,
      async revokeTokens() {
        revocations += 1
        if (revocations > 1) return
        await enableUserRow(db, id)
        await disableUserRow(db, id, { disabled_at: 2, pending: 'revoke' })
      },
    }
    for (let count = 0; count < 3; count++) await processPendingUsers(options)
    const users = await db.selectFrom('users').select(['disabled_at', 'pending']).execute()
    await database.close()
    expect(revocations).toBe(2)
    expect(users).toEqual([{ disabled_at: 2, pending: null }])
  })

  it('revokes no tokens of a user whose tokens another node has revoked meanwhile', async () => {
    const database = await openTestDatabase(engine)
    const { db } = database
    const bob = await addUser(db, { id: 'bob', disabled_at: 1, pending: 'revoke' })
    const ada = await addUser(db, { id: 'ada', disabled_at: 1, pending: 'revoke' })
    const revoked: string[] = []
    await processPendingUsers({
      database,
      embedded: true,
      ...noWork,
      async revokeTokens(userId) {
        revoked.push(userId)
        const other = userId === ada.id ? bob : ada
        await clearRevoke(db, other)
        await enableUserRow(db, other.id)
      },
    })
    await database.close()
    expect(revoked).toHaveLength(1)
  })

  it('deletes nothing of a user whom another node has deleted meanwhile and who came back', async () => {
    const database = await openTestDatabase(engine)
    const { db } = database
    const { id } = await addUser(db, { id: 'ada', disabled_at: 1, pending: 'delete' })
    const before = await db.selectFrom('users').selectAll().execute()
    await processPendingUsers({
      database,
      embedded: false,
      deleteData: async () =>
        void (await db.updateTable('users').set({ disabled_at: null, pending: null }).execute()),
      onError: () => undefined,
      revokeTokens: () => Promise.resolve(),
    })
    const users = await db.selectFrom('users').selectAll().execute()
    await database.close()
    expect(users).toEqual(before.map((user) => ({ ...user, id, disabled_at: null, pending: null })))
  })

  it('deletes no chats of a user who came back while the tokens were being revoked', async () => {
    const database = await openTestDatabase(engine)
    const { db } = database
    const { id } = await addUser(db, { id: 'ada', disabled_at: 1, pending: 'delete' })
    const deleted: string[] = []
    await processPendingUsers({
      database,
      embedded: false,
      ...noWork,
      deleteData: async (userId) => void deleted.push(userId),
      revokeTokens: async () =>
        void (await db.updateTable('users').set({ disabled_at: null, pending: null }).execute()),
    })
    const users = await db.selectFrom('users').select(['id', 'pending']).execute()
    await database.close()
    expect(deleted).toEqual([])
    expect(users).toEqual([{ id, pending: null }])
  })
})
