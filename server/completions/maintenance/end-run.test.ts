import { setTimeout as wait } from 'node:timers/promises'
import { applyEvent, emptyRun } from '@yonder/contract/apply-event'
import type { StartedEvent } from '@yonder/contract/completion'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertChat, lockChat } from '../../chats/chat-store.ts'
import { engines, isConcurrent, openTestDatabase } from '../../testing/database/test-database.ts'
import type { TestDatabase } from '../../testing/database/test-database.ts'
import { closeRun } from './end-run.ts'
import { findActiveRun, insertRun } from '../log/run-store.ts'

const message = { content: '', timestamp: '2026-01-01T00:00:00.000Z', unix_timestamp: 1 }
const started: StartedEvent = {
  type: 'started',
  seq: 1,
  user_message: { ...message, id: 'q', parent_id: null, role: 'user', status: 'complete' },
  assistant_message: { ...message, id: 'a', parent_id: 'q', role: 'assistant', status: 'streaming' },
}
const ada = { id: 'ada' }
const chat = { id: 'chat', user_id: ada.id, selected_message_id: null, created_at: 1, updated_at: 1 }
const run = { chat_id: chat.id, user_id: ada.id, message_id: 'a', node_id: 'here', started_at: 1 }

describe.each(engines)('the end of a run, on %s', (engine) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await openTestDatabase(engine)
    await database.db
      .insertInto('users')
      .values({ ...ada, issuer: 't', subject: 'ada', name: null, email: null, picture: null, created_at: 1 })
      .execute()
    await insertChat(database.db, chat)
  })
  afterAll(() => database.close())

  it.runIf(isConcurrent(engine))(
    'waits for a message that comes at the same moment, which does not wait for it',
    async () => {
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
    },
  )
})
