import type { Inbox } from '@yonder/contract/inbox'
import { callExpiryMs } from '@yonder/contract/tool-call'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChatClient } from '../testing/chat/open-chat-app.ts'
import { callOf, openToolApp, waitingCall, type ToolApp } from '../testing/chat/open-tool-app.ts'
import { engines } from '../testing/database/test-database.ts'
import { addChat, addPath } from '../testing/factories/chats.ts'

describe.each(engines)('the inbox, on %s', (engine) => {
  let product: ToolApp
  beforeAll(async () => {
    product = await openToolApp({ engine, environment: { SELF_SERVICE: 'on' } })
  })
  afterAll(() => product.close())

  async function join(name: string, behaviour = 'polite') {
    const client = await product.join(name)
    await product.connect(client, behaviour)
    return client
  }

  async function request(client: ChatClient, content: string, behaviour = 'polite') {
    product.model.reply(['Let me see.', callOf(behaviour, 'act', { content })])
    const chatId = await client.newChat()
    const stream = await client.send(chatId, content)
    await stream.ended
    return { chatId, call: waitingCall(chatId, stream) }
  }

  const read = async (client: ChatClient) => (await client.get('/api/inbox')).json<Inbox>()

  it('lists the calls that wait in all chats of its user, the newest first, with what was asked for', async () => {
    const [ada, eve] = [await join('Ada'), await join('Eve')]
    const first = await request(ada, 'First **of all**')
    const second = await request(ada, `Long ${'word '.repeat(100)}`)
    const gone = await request(ada, 'Gone')
    const deleted = await ada.patch('/api/chats', { chats: [gone.chatId], change: { deleted: true } })
    expect([deleted.statusCode, deleted.body]).toEqual([200, expect.any(String)])
    const { items, total } = await read(ada)
    expect(total).toBe(2)
    expect(items).toMatchObject([
      { chat_id: second.chatId, asked_for: expect.stringMatching(/^Long (word )+word.*…$/) as string },
      {
        chat_id: first.chatId,
        chat_title: 'First **of all**',
        asked_for: 'First **of all**',
        message: { content: 'Let me see.', call: { state: 'waiting' } },
      },
    ])
    expect(items[0]?.asked_for.length).toBeLessThanOrEqual(201)
    const askedAt = items[0]?.message.call?.asked_at ?? 0
    expect(items[0]?.asked_at).toBe(new Date(askedAt).toISOString())
    expect(items[0]?.expires_at).toBe(new Date(askedAt + callExpiryMs).toISOString())
    expect(await read(eve)).toEqual({ items: [], total: 0 })

    product.model.reply(['Done.'])
    await (
      await ada.confirm(first.call)
    ).ended
    expect((await read(ada)).items.map(({ chat_id }) => chat_id)).toEqual([second.chatId])
  })

  it('lists a call on a branch that is not shown', async () => {
    const ada = await join('Ada of branches')
    const { chatId, call } = await request(ada, 'Do it')
    product.model.reply(['Hello.'])
    const other = await ada.send(chatId, 'Another beginning', { parentId: null })
    await other.ended
    expect((await read(ada)).items.map(({ message }) => message.id)).toEqual([call.messageId])
  })

  it('lists the question of a running call', async () => {
    const ada = await join('Ada of questions', 'elicitation')
    const { chatId, call } = await request(ada, 'Ask me', 'elicitation')
    product.model.reply(['Done.'])
    const stream = await ada.confirm(call)
    await stream.until(({ run }) => run.messages[1]?.call?.question !== undefined)
    const { items, total } = await read(ada)
    expect(total).toBe(1)
    expect(items[0]).toMatchObject({
      chat_id: chatId,
      asked_for: 'Ask me',
      expires_at: null,
      message: { id: call.messageId, call: { state: 'running', question: {} } },
    })
    await ada.post('/api/chat/stop', { chatId })
    await stream.ended
    expect(await read(ada)).toEqual({ items: [], total: 0 })
  })

  it('shows calls whole and says how many it does not list, however large they are', async () => {
    const ada = await join('Ada of much')
    const { db } = product.database
    const text = 'x'.repeat(300_000)
    for (let index = 0; index < 120; index++) {
      const chat = { id: `large-${index}`, user_id: ada.user.id, updated_at: 1 }
      await addChat(db, chat)
      await addPath(db, chat, [
        { id: `question-${index}`, role: 'user', content: `Question ${index}` },
        {
          id: `call-${index}`,
          role: 'assistant',
          content: '',
          server: 'polite',
          tool: 'act',
          arguments: JSON.stringify({ text }),
          call_state: 'waiting',
          call: JSON.stringify({ id: 'c', name: 'polite__act', askedAt: Date.now(), rest: [] }),
        },
      ])
    }
    const response = await ada.get('/api/inbox')
    const { items, total } = response.json<Inbox>()
    expect(total).toBe(120)
    expect(response.body.length).toBeLessThan(2_500_000)
    expect(items.length).toBeGreaterThan(3)
    for (const { message } of items) expect(message.arguments).toBe(JSON.stringify({ text }))
  })
})
