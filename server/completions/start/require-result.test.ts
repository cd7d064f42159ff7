import { describe, expect, it } from 'vitest'
import { requireChat } from '../../chats/chat-store.ts'
import { engines, openTestDatabase } from '../../testing/database/test-database.ts'
import { addChat, addPath, chatRow } from '../../testing/factories/chats.ts'
import { addUser } from '../../testing/factories/users.ts'
import { maxCalls } from '../loop/run-completion.ts'
import { requireResult } from './continue-run.ts'

const ada = { id: 'ada' }
const chat = chatRow({ user_id: ada.id })

describe.each(engines)('the result that a turn is continued from, on %s', (engine) => {
  it('is found even after the maximum number of calls of a run (§4.23)', async () => {
    const { db, close } = await openTestDatabase(engine)
    await addUser(db, ada)
    await addChat(db, chat)
    const calls = Array.from({ length: maxCalls }, (_, index) => index + 1)
    const path = [
      { id: 'question' },
      ...calls.flatMap((call) => [
        { id: `call ${call}`, role: 'assistant' },
        { id: `result ${call}`, server: call === 1 ? 'first' : 'other' },
      ]),
      { id: 'answer', role: 'assistant' },
    ]
    await db.transaction().execute((trx) => addPath(trx, chat, path))
    const found = await requireChat(db, ada, chat.id)
    expect((await requireResult(db, found, { server: 'first' })).id).toBe('result 1')
    expect((await requireResult(db, found, { server: 'other' })).id).toBe(`result ${maxCalls}`)
    await close()
  })
})
