import { describe, expect, it } from 'vitest'
import { insertChat } from '../../chats/chat-store.ts'
import { engines, openTestDatabase } from '../../testing/database/test-database.ts'
import { endRun, findLatestRun, insertRun } from './run-store.ts'

const chat = { id: 'chat', user_id: 'ada', selected_message_id: null, created_at: 1, updated_at: 1 }

describe.each(engines)('the newest run of a chat, on %s', (engine) => {
  it('is the one that began last, also where the clock of its server is behind', async () => {
    const { db, dialect, close } = await openTestDatabase(engine)
    const ada = { id: 'ada', issuer: 't', subject: 'ada', name: null, email: null, picture: null }
    await db
      .insertInto('users')
      .values({ ...ada, created_at: 1 })
      .execute()
    await insertChat(db, chat)
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
