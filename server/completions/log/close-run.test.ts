import { setTimeout as wait } from 'node:timers/promises'
import { applyEvent, emptyRun } from '@yonder/contract/apply-event'
import { startedEvent } from '@yonder/contract/testing/messages'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lockChat } from '../../chats/chat-store.ts'
import { addChat, chatRow } from '../../testing/factories/chats.ts'
import { addUser } from '../../testing/factories/users.ts'
import { engines, isConcurrent, openTestDatabase } from '../../testing/database/test-database.ts'
import type { TestDatabase } from '../../testing/database/test-database.ts'
import { closeRun, findActiveRun, insertRun } from './run-store.ts'

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

  it.runIf(isConcurrent(engine))('waits for a concurrent message, which does not wait for it', async () => {
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
        // Until it waits.
        await wait(300)
        await insert(trx)
      })
      .catch((error: unknown) => error)
    expect(dialect.isUniqueViolation(refused), String(refused)).toBe(true)
    expect(await closed).toBeUndefined()
    expect(await findActiveRun(db, dialect, chat.id)).toBeUndefined()
  })
})
