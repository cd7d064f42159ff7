import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../db/new-id.ts'
import { insertUser } from '../testing/insert-user.ts'
import { engines, openTestDatabase } from '../testing/test-database.ts'
import type { TestDatabase } from '../testing/test-database.ts'
import { insertChat } from './chat-store.ts'
import { appendMessage, findMessage } from './message-store.ts'

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
    const asked = { chat_id, id: newId(), role: 'user', content: 'question', status: 'complete' }
    const question = await appendMessage(db, asked, null, 1_000)
    expect(await findMessage(db, chat_id, asked.id)).toEqual(question)
    const told = {
      chat_id,
      id: newId(),
      role: 'assistant',
      content: '',
      status: 'streaming',
      bot: 'b',
      model: 'm',
    }
    const reply = await appendMessage(db, told, question, 1_000)
    expect(await findMessage(db, chat_id, told.id)).toEqual(reply)
    const result = {
      chat_id,
      id: newId(),
      role: 'user',
      content: '2',
      status: 'complete',
      server: 's',
      tool: 't',
    }
    const answer = await appendMessage(db, { ...result, outcome: '{}' }, reply, 1_000)
    expect(await findMessage(db, chat_id, result.id)).toEqual(answer)
    expect([question, reply, answer].map(({ unix_timestamp: time }) => time)).toEqual([1_000, 1_001, 1_002])
    expect(answer).toMatchObject({ parent_id: reply.id, first_id: question.id, second_id: reply.id })
  })
})
