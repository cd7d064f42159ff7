import { someContents } from '@yonder/contract/testing/contents'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MessageRow } from '../db/tables/tables.ts'
import { newId } from '../lib/new-id.ts'
import { engines, openTestDatabase, type TestDatabase } from '../testing/database/test-database.ts'
import { addChat, addPath, newMessage } from '../testing/factories/chats.ts'
import { addUser } from '../testing/factories/users.ts'
import {
  appendMessage,
  findMessage,
  listPlaces,
  readMessages,
  listPath,
  listPathAfterSummary,
  toContentColumns,
  type NewMessage,
} from './message-store.ts'
import { presentMessage } from './present-chat.ts'

describe.each(engines)('messages on %s', (engine) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await openTestDatabase(engine)
  })
  afterAll(() => database.close())

  it('are returned as stored, each with a later time than the one before', async () => {
    const { db } = database
    const user = await addUser(db)
    const { id: chat_id } = await addChat(db, { id: newId(), user_id: user.id })
    const append = async (parent: MessageRow | null, more: Partial<NewMessage>) => {
      const message = newMessage({ chat_id, content: 'text', ...more })
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

  it('keep any content in every way in which they are read', async () => {
    const { db } = database
    const user = await addUser(db)
    const chat = await addChat(db, { id: newId(), user_id: user.id })
    const rows = await addPath(db, chat, someContents.map(toContentColumns))
    const leaf = rows.at(-1)?.id ?? ''
    const read: MessageRow[] = []
    for await (const page of readMessages(db, chat.id, await listPlaces(db, chat.id))) read.push(...page)
    const stored = [
      read.map((row) => presentMessage(row).content),
      (await listPath(db, chat.id, leaf)).map(({ content }) => content),
      (await listPathAfterSummary(db, chat.id, leaf, 100)).map(({ content }) => content),
    ]
    expect(stored).toEqual([someContents, someContents, someContents])
  })

  it('keep of a large batch of calls on a path only those that follow its last one', async () => {
    const { db } = database
    const user = await addUser(db)
    const chat = await addChat(db, { id: newId(), user_id: user.id })
    const text = JSON.stringify({ a: 'x'.repeat(3_000) })
    const batch = Array.from({ length: 100 }, (_, index) => ({ id: `c${index}`, name: 't', arguments: text }))
    const calls = batch.map(({ id, name }, index) => ({
      id,
      name,
      total: batch.length,
      ...(index > 0 && { continues: true }),
      rest: batch.slice(index + 1),
    }))
    const made = calls.slice(0, -2)
    const rows = await addPath(
      db,
      chat,
      [...made, ...calls.slice(0, 1)].flatMap((call) => [
        { role: 'assistant', call: JSON.stringify(call), arguments: text, call_state: 'answered' } as const,
        { role: 'user', server: 's', tool: 't', content: 'done' } as const,
      ]),
    )
    const leaf = rows.at(-1)?.id ?? ''
    for (const path of [
      await listPath(db, chat.id, leaf),
      await listPathAfterSummary(db, chat.id, leaf, 1_000),
    ]) {
      expect(path.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
      const read = path.flatMap(({ call }) => (call === null ? [] : [JSON.parse(call) as unknown]))
      const last = made.at(-1)
      expect(read).toEqual([...made.slice(0, -1).map((call) => ({ ...call, rest: [] })), last, calls[0]])
    }
  })
})
