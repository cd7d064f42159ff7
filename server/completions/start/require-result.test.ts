import { describe, expect, it } from 'vitest'
import { insertChat, moveLeaf, requireChat } from '../../chats/chat-store.ts'
import { appendMessage } from '../../chats/message-store.ts'
import type { NewMessage } from '../../chats/message-store.ts'
import type { MessageRow } from '../../db/tables/tables.ts'
import { engines, openTestDatabase } from '../../testing/database/test-database.ts'
import { requireResult } from './continue-run.ts'
import { maxCalls } from '../loop/run-completion.ts'

const ada = { id: 'ada' }
const chat = { id: 'chat', user_id: ada.id, selected_message_id: null, created_at: 1, updated_at: 1 }
const message = { chat_id: chat.id, content: '', status: 'complete' }

describe.each(engines)('the result that a turn is continued from, on %s', (engine) => {
  it('is found behind as many calls as one run makes (§4.23)', async () => {
    const { db, close } = await openTestDatabase(engine)
    await db
      .insertInto('users')
      .values({ ...ada, issuer: 't', subject: 'ada', name: null, email: null, picture: null, created_at: 1 })
      .execute()
    await insertChat(db, chat)
    await db.transaction().execute(async (trx) => {
      let leaf: MessageRow | null = null
      const append = async (id: string, rest: Pick<NewMessage, 'role' | 'server'>): Promise<void> => {
        leaf = await appendMessage(trx, { ...message, id, ...rest }, leaf, 1)
      }
      await append('question', { role: 'user' })
      for (let call = 1; call <= maxCalls; call++) {
        await append(`call ${call}`, { role: 'assistant' })
        await append(`result ${call}`, { role: 'user', server: call === 1 ? 'first' : 'other' })
      }
      await append('answer', { role: 'assistant' })
      await moveLeaf(trx, chat.id, 'answer')
    })
    const found = await requireChat(db, ada, chat.id)
    expect((await requireResult(db, found, { server: 'first' })).id).toBe('result 1')
    expect((await requireResult(db, found, { server: 'other' })).id).toBe(`result ${maxCalls}`)
    await close()
  })
})
