import { describe, expect, it } from 'vitest'
import { addChat } from '../../testing/factories/chats.ts'
import { addUser } from '../../testing/factories/users.ts'
import { engines, openTestDatabase } from '../../testing/database/test-database.ts'
import { endRun, findLatestRun, insertRun } from './run-store.ts'

describe.each(engines)('the newest run of a chat, on %s', (engine) => {
  it('is the one that started last, also when the clock of its server is behind', async () => {
    const { db, dialect, close } = await openTestDatabase(engine)
    await addUser(db, { id: 'ada' })
    await addChat(db)
    const insert = (node_id: string, started_at: number) =>
      insertRun(db, dialect, { chat_id: 'chat', user_id: 'ada', message_id: 'a', node_id, started_at }, '{}')
    const asked = await insert('ahead', 9_000)
    await endRun(db, asked, { status: 'complete', lastSeq: 1, now: 9_001 })
    const confirmed = await insert('behind', 5_000)
    expect((await findLatestRun(db, dialect, 'chat', 'a'))?.id).toBe(confirmed)
    expect((await findLatestRun(db, dialect, 'chat'))?.id).toBe(confirmed)
    await close()
  })
})
