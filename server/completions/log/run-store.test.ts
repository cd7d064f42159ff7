import { applyEvent, emptyRun } from '@yonder/contract/apply-event'
import type { RunEvent } from '@yonder/contract/completion'
import { startedEvent } from '@yonder/contract/testing/messages'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lockChat } from '../../chats/chat-store.ts'
import { countWaiting } from '../../testing/database/count-waiting.ts'
import {
  engines,
  isConcurrent,
  openTestDatabase,
  type TestDatabase,
} from '../../testing/database/test-database.ts'
import { addChat, chatRow } from '../../testing/factories/chats.ts'
import { addUser } from '../../testing/factories/users.ts'
import { closeRun, findActiveRun, findLatestRun, insertRun } from './run-store.ts'

const started = startedEvent()
const ada = { id: 'ada' }
const chat = chatRow({ user_id: ada.id })
const run = {
  chat_id: chat.id,
  user_id: ada.id,
  message_id: started.assistant_message.id,
  node_id: 'here',
  started_at: 1,
}

describe.each(engines)('the end of a run, on %s', (engine) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await openTestDatabase(engine)
    await addUser(database.db, ada)
    await addChat(database.db, chat)
  })
  afterAll(() => database.close())

  it.runIf(isConcurrent(engine))('waits for a concurrent message without a deadlock', async () => {
    const { db, dialect } = database
    const insert = (trx: typeof db) => insertRun(trx, dialect, run, JSON.stringify(started))
    const id = await insert(db)
    const state = applyEvent(applyEvent(emptyRun, started), { type: 'ended', seq: 2, status: 'complete' })
    let closed: Promise<unknown> | undefined
    const refused = await db
      .transaction()
      .execute(async (trx) => {
        await lockChat(trx, ada, chat.id, 2)
        closed = db
          .transaction()
          .execute((other) => closeRun(other, { id, chat_id: chat.id }, state, 3))
          .catch((error: unknown) => error)
        // On SQLite, the second transaction begins only after this one.
        if (engine === 'postgres') await expect.poll(() => countWaiting(trx)).toBe(1)
        await insert(trx)
      })
      .catch((error: unknown) => error)
    expect(dialect.isUniqueViolation(refused), String(refused)).toBe(true)
    expect(await closed).toBeUndefined()
    expect(await findActiveRun(db, dialect, chat.id)).toBeUndefined()
  })

  it('is stored and counted once', async () => {
    const { db, dialect } = database
    const chatId = 'counted'
    await addChat(db, chatRow({ id: chatId, user_id: ada.id }))
    const id = await insertRun(db, dialect, { ...run, chat_id: chatId }, JSON.stringify(started))
    const events: RunEvent[] = [
      started,
      { type: 'text', seq: 2, choices: [{ delta: { content: 'Hello' } }] },
      { type: 'ended', seq: 3, status: 'complete' },
    ]
    const state = events.reduce(applyEvent, emptyRun)
    for (const now of [4, 5]) {
      await db.transaction().execute((trx) => closeRun(trx, { id, chat_id: chatId }, state, now))
      expect(await readChars(chatId)).toBe('Hello'.length)
    }
  })

  async function readChars(chatId: string): Promise<number | undefined> {
    const rows = await database.db.selectFrom('chats').select('chars').where('id', '=', chatId).execute()
    return rows[0]?.chars
  }
})

describe.each(engines)('the newest run of a chat, on %s', (engine) => {
  it('is the one that started last, even if the clock of its server is slow', async () => {
    const { db, dialect, close } = await openTestDatabase(engine)
    await addUser(db, ada)
    await addChat(db, chat)
    const insert = (node_id: string, started_at: number) =>
      insertRun(db, dialect, { ...run, node_id, started_at }, JSON.stringify(started))
    const first = await insert('ahead', 9_000)
    const ended = applyEvent(applyEvent(emptyRun, started), { type: 'ended', seq: 2, status: 'complete' })
    await closeRun(db, { id: first, chat_id: chat.id }, ended, 9_001)
    const second = await insert('behind', 5_000)
    expect((await findLatestRun(db, dialect, chat.id, run.message_id))?.id).toBe(second)
    expect((await findLatestRun(db, dialect, chat.id))?.id).toBe(second)
    await close()
  })
})
