import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../lib/new-id.ts'
import type { MessageRow } from '../db/tables/tables.ts'
import { insertUser } from '../testing/identity/insert-user.ts'
import { engines, openTestDatabase } from '../testing/database/test-database.ts'
import type { TestDatabase } from '../testing/database/test-database.ts'
import { insertChat } from './chat-store.ts'
import { appendMessage, findMessage } from './message-store.ts'
import type { NewMessage } from './message-store.ts'

describe.each(engines)('messages on %s', (engine) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await openTestDatabase(engine)
  })
  afterAll(() => database.close())

  it('are given as they are stored, each later than the one before', async () => {
    const { db } = database
    const chat_id = newId()
    const { id: user_id } = await insertUser(db, newId())
    await insertChat(db, { id: chat_id, user_id, selected_message_id: null, created_at: 1, updated_at: 1 })
    const append = async (parent: MessageRow | null, more: Partial<NewMessage>) => {
      const message = { chat_id, id: newId(), role: 'user', content: 'text', status: 'complete', ...more }
      const appended = await appendMessage(db, message, parent, 1_000)
      expect(await findMessage(db, chat_id, message.id)).toEqual(appended)
      return appended
    }
    const question = await append(null, {})
    const reply = await append(question, { role: 'assistant', status: 'streaming', bot: 'b', model: 'm' })
    const answer = await append(reply, { server: 's', tool: 't', outcome: '{}' })
    expect([question, reply, answer].map(({ unix_timestamp: time }) => time)).toEqual([1_000, 1_001, 1_002])
    expect(answer).toMatchObject({ parent_id: reply.id, first_id: question.id, second_id: reply.id })
  })
})
