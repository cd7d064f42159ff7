import type { ChatList } from '@yonder/contract/chat'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Db } from '../db/database.ts'
import { openChatApp, type ChatApp, type ChatClient } from '../testing/chat/open-chat-app.ts'
import { countWaiting } from '../testing/database/count-waiting.ts'
import { engines, isConcurrent } from '../testing/database/test-database.ts'
import { newMessage } from '../testing/factories/chats.ts'
import { holdResponses } from '../testing/hold-responses.ts'
import { statusAndBody } from '../testing/send-request.ts'
import { openTestApp, type TestClient } from '../testing/test-app.ts'
import { lockChatOnly } from './chat-store.ts'
import { appendMessage, findMessage } from './message-store.ts'

describe.each(engines)('chats on %s', (engine) => {
  let product: ChatApp
  let ada: ChatClient
  beforeAll(async () => {
    product = await openChatApp({ engine })
    ada = await product.join('Ada')
  })
  afterAll(() => product.close())

  const sendAndReceive = async (
    client: ChatClient,
    chatId: string,
    question: string,
    replyText: string,
    more = {},
  ) => {
    product.model.reply([replyText, { finish: 'stop' }])
    const stream = await client.send(chatId, question, more)
    await stream.ended
    return stream.run.messages
  }
  const list = async (client: TestClient, query = '') =>
    (await client.get(`/api/chats${query}`)).json<ChatList>()

  it('reserves an id under which an empty chat can be read (§7.6, §7.7, §3.18)', async () => {
    const chatId = await ada.newChat()
    expect(chatId).toMatch(/^[\w-]{22}$/)
    expect(await ada.readChat(chatId)).toEqual({
      id: chatId,
      messages: [],
      update_time: expect.any(String) as string,
      selected_message_id: null,
      run: null,
    })
  })

  it('are read one after the other when a user reads many at once', async () => {
    const held = holdResponses('/api/chats/')
    const gated = await openTestApp({ engine, addHooks: held.addHooks })
    const eve = await gated.signIn('Eve')
    const bob = await gated.signIn('Bob')
    const newUrl = async (client: TestClient) => {
      const { id } = (await client.get('/api/chat/id')).json<{ id: string }>()
      return `/api/chats/${id}`
    }
    const urls = [await newUrl(eve), await newUrl(eve), await newUrl(bob)] as const
    const [first, second, other] = urls
    const responses = [eve.get(first)]
    await expect.poll(() => held.readUrls).toEqual([first])
    responses.push(eve.get(second), bob.get(other))
    await expect.poll(() => held.readUrls).toContain(other)
    // Requests that do not wait are answered, so the second read would have begun as well.
    expect((await list(eve)).total).toBe(2)
    expect(held.readUrls).toEqual([first, other])
    held.release(first)
    await expect.poll(() => held.readUrls).toEqual([first, other, second])
    urls.forEach(held.release)
    const statuses = (await Promise.all(responses)).map(({ statusCode }) => statusCode)
    await gated.close()
    expect(statuses).toEqual([200, 200, 200])
  })

  it('lists chats newest first in pages, including empty chats (§7.8, §3.4)', async () => {
    const eve = await product.join('Eve')
    const ids: string[] = []
    for (let index = 0; index < 3; index++) ids.push(await eve.newChat())
    await sendAndReceive(eve, ids[0] ?? '', 'What?', 'That.')
    const all = await list(eve)
    expect(all.chats.map((chat) => chat.id)).toEqual([ids[0], ...[ids[1], ids[2]].sort(byTime(all))])
    expect(all).toMatchObject({ total: 3, page: 1, limit: 10 })
    const times = all.chats.map((chat) => Date.parse(chat.update_time))
    expect(times).toEqual(times.toSorted((a, b) => b - a))
    expect(all.chats[0]?.messages).toEqual([
      { role: 'user', content: 'What?' },
      { role: 'assistant', content: 'That.', model: 'scripted' },
    ])
    expect(all.chats[1]?.messages).toEqual([])
    const second = await list(eve, '?page=2&limit=1')
    expect(second.chats.map((chat) => chat.id)).toEqual([all.chats[1]?.id])
    expect(second.total).toBe(3)
  })

  it('shows the first two messages and the last one of the path in a summary, shortened', async () => {
    const chatId = await ada.newChat()
    await sendAndReceive(ada, chatId, 'first', 'x'.repeat(499).concat('😀'.repeat(3)))
    await sendAndReceive(ada, chatId, 'third', 'fourth')
    await sendAndReceive(ada, chatId, 'fifth', 'sixth')
    const summary = (await list(ada)).chats.find((chat) => chat.id === chatId)
    expect(summary?.messages.map((message) => message.content)).toEqual(['first', 'x'.repeat(499), 'sixth'])
  })

  it.each([
    '?page=0',
    '?page=1.5',
    '?page=x',
    '?limit=0',
    '?limit=101',
    '?limit=1e9',
    '?limit=NaN',
    `?search=${'x'.repeat(501)}`,
  ])('refuses %s', async (query) => {
    expect((await ada.get(`/api/chats${query}`)).statusCode).toBe(400)
  })

  it('selects the newest message below the chosen one (§4.25, §7.13)', async () => {
    const chatId = await ada.newChat()
    const [question, first] = await sendAndReceive(ada, chatId, 'Hi', 'first')
    const [, below] = await sendAndReceive(ada, chatId, 'more', 'below the first')
    product.model.reply(['second', { finish: 'stop' }])
    const again = await ada.complete({ chatId, userMessageId: question?.id })
    await again.ended
    const second = again.run.messages[1]?.id
    expect((await ada.readChat(chatId)).selected_message_id).toBe(second)
    const response = await ada.post('/api/chat/select-response', { chatId, messageId: first?.id })
    expect(statusAndBody(response)).toEqual({ status: 200, body: { selected_message_id: below?.id } })
    expect((await ada.readChat(chatId)).selected_message_id).toBe(below?.id)
    const foreign = await ada.newChat()
    for (const body of [
      { chatId, messageId: 'nothing' },
      { chatId: foreign, messageId: first?.id },
    ]) {
      expect((await ada.post('/api/chat/select-response', body)).statusCode).toBe(404)
    }
    expect((await ada.readChat(chatId)).selected_message_id).toBe(below?.id)
  })

  it.runIf(engine === 'postgres' && isConcurrent(engine))(
    'selects a reply while its run ends, without a deadlock (§7.13)',
    async () => {
      const { db } = product.database
      const chatId = await ada.newChat()
      const [, reply] = await sendAndReceive(ada, chatId, 'Hi', 'first')
      const messageId = reply?.id ?? ''
      let selected: ReturnType<ChatClient['post']> | undefined
      // Locks the chat and then the reply, as the end of a run does.
      await db.transaction().execute(async (trx) => {
        await trx.updateTable('chats').set({ updated_at: 1 }).where('id', '=', chatId).execute()
        selected = ada.post('/api/chat/select-response', { chatId, messageId })
        void selected
        await expect.poll(() => countWaiting(trx)).toBe(1)
        await trx.updateTable('messages').set({ notice: 'changed' }).where('id', '=', messageId).execute()
      })
      expect((await selected)?.statusCode).toBe(200)
    },
  )

  it.runIf(engine === 'postgres' && isConcurrent(engine))(
    'selects what the chat contains after other writers have ended (§7.13)',
    async () => {
      const { db } = product.database
      const chatId = await ada.newChat()
      const [, reply] = await sendAndReceive(ada, chatId, 'Hi', 'first')
      const messageId = reply?.id ?? ''
      const row = await findMessage(db, chatId, messageId)
      /** Selects the reply while a transaction that has locked the chat writes. */
      const selectDuring = async (write: (trx: Db) => Promise<unknown>) => {
        let selected: ReturnType<ChatClient['post']> | undefined
        await db.transaction().execute(async (trx) => {
          await lockChatOnly(trx, ada.user, chatId)
          selected = ada.post('/api/chat/select-response', { chatId, messageId })
          await expect.poll(() => countWaiting(trx)).toBe(1)
          await write(trx)
        })
        return selected
      }
      const added = newMessage({ chat_id: chatId, content: 'more' })
      const selected = await selectDuring((trx) => appendMessage(trx, added, row ?? null, Date.now()))
      expect(selected?.json()).toEqual({ selected_message_id: added.id })
      const refused = await selectDuring((trx) => trx.deleteFrom('chats').where('id', '=', chatId).execute())
      expect(refused?.statusCode).toBe(404)
    },
  )

  it('selects the path that a version showed last, and not a newer one (§4.25, §7.13)', async () => {
    const chatId = await ada.newChat()
    const [question, first] = await sendAndReceive(ada, chatId, 'Hi', 'first')
    const [below, oldReply] = await sendAndReceive(ada, chatId, 'more', 'below the first')
    const regenerate = async (userMessageId: string | undefined) => {
      product.model.reply(['another', { finish: 'stop' }])
      const again = await ada.complete({ chatId, userMessageId })
      await again.ended
      return again.run.messages[1]?.id
    }
    const select = async (messageId: string | undefined) => {
      await ada.post('/api/chat/select-response', { chatId, messageId })
      return (await ada.readChat(chatId)).selected_message_id
    }
    const newReply = await regenerate(below?.id)
    expect(await select(oldReply?.id)).toBe(oldReply?.id)
    const second = await regenerate(question?.id)
    expect(await select(first?.id)).toBe(oldReply?.id)
    expect(await select(second)).toBe(second)
    expect(await select(first?.id)).toBe(oldReply?.id)
    expect(await select(newReply)).toBe(newReply)
    expect(await select(second)).toBe(second)
    expect(await select(first?.id)).toBe(newReply)
  })

  describe("another user's chat", () => {
    let chatId: string
    let question: string
    let reply: string
    let eve: ChatClient
    beforeAll(async () => {
      eve = await product.join('Eve')
      chatId = await ada.newChat()
      const messages = await sendAndReceive(ada, chatId, 'private', 'confidential', { id: 'mine' })
      question = messages[0]?.id ?? ''
      reply = messages[1]?.id ?? ''
    })

    const snapshot = async () => {
      const { db } = product.database
      return {
        chats: await db.selectFrom('chats').selectAll().where('id', '=', chatId).execute(),
        messages: await db.selectFrom('messages').selectAll().where('chat_id', '=', chatId).execute(),
        runs: await db.selectFrom('runs').selectAll().where('chat_id', '=', chatId).execute(),
      }
    }

    it.each<[string, 'GET' | 'POST', (id: string) => string, () => object | undefined]>([
      ['reading it', 'GET', (id: string) => `/api/chats/${id}`, () => undefined],
      ['following it', 'GET', (id: string) => `/api/chat/${id}/stream?after=0`, () => undefined],
      [
        'sending into it',
        'POST',
        () => '/api/chat/completions',
        () => ({ chatId, botName: 'Helper', content: 'x' }),
      ],
      [
        'repeating its message',
        'POST',
        () => '/api/chat/completions',
        () => ({ chatId, botName: 'Helper', content: 'private', id: 'mine' }),
      ],
      [
        'answering below its reply',
        'POST',
        () => '/api/chat/completions',
        () => ({ chatId, botName: 'Helper', content: 'x', parentId: reply }),
      ],
      [
        'regenerating in it',
        'POST',
        () => '/api/chat/completions',
        () => ({ chatId, botName: 'Helper', userMessageId: question }),
      ],
      ['stopping it', 'POST', () => '/api/chat/stop', () => ({ chatId })],
      ['selecting in it', 'POST', () => '/api/chat/select-response', () => ({ chatId, messageId: reply })],
    ])('is not found for %s, and is not changed', async (_what, method, url, body) => {
      const before = await snapshot()
      const requestsBefore = product.model.requests.length
      const send = async (address: string, sent?: object) =>
        statusAndBody(await (method === 'GET' ? eve.get(address) : eve.post(address, sent)))
      const response = await send(url(chatId), body())
      expect(response).toEqual({
        status: 404,
        body: { error: { code: 'not_found', message: 'There is no such chat. Start a new one.' } },
      })
      const sent = body()
      const unknown = await send(
        url('unknown'),
        sent === undefined ? undefined : { ...sent, chatId: 'unknown' },
      )
      expect(unknown).toEqual(response)
      expect(await snapshot()).toEqual(before)
      expect(product.model.requests.length).toBe(requestsBefore)
    })

    it.each(['foo.bar', 'x'.repeat(65), '%00', '%F0%9F%98%80'])(
      'is not found under %s, which is not a valid id',
      async (id) => {
        const { status, body } = statusAndBody(await eve.get(`/api/chats/${id}`))
        expect(status).toBe(404)
        expect(body).toMatchObject({ error: { code: 'not_found' } })
      },
    )

    it('has no message that another user can use in a chat of their own', async () => {
      const own = await eve.newChat()
      for (const body of [
        { chatId: own, content: 'x', parentId: reply },
        { chatId: own, userMessageId: question },
      ]) {
        const stream = await eve.complete(body)
        await stream.ended
        expect(stream.status).toBe(404)
      }
      expect(
        (await eve.post('/api/chat/select-response', { chatId: own, messageId: reply })).statusCode,
      ).toBe(404)
      expect(await eve.readChat(own)).toMatchObject({ messages: [], selected_message_id: null })
    })

    it('is not in the list or a search of another user', async () => {
      for (const query of ['', '?search=private', '?search=confidential']) {
        expect((await list(eve, query)).chats.map((chat) => chat.id)).not.toContain(chatId)
      }
      expect((await list(ada, '?search=confidential')).chats.map((chat) => chat.id)).toContain(chatId)
    })
  })

  it('reserves one chat for a repeated request, and another one for every other request and user', async () => {
    const eve = await product.join('Eve')
    const reserve = async (client: ChatClient, request: string) =>
      (await client.get(`/api/chat/id?request=${request}`)).json<{ id: string }>().id
    const before = (await list(ada)).total
    const [first, again] = await Promise.all([reserve(ada, 'r1'), reserve(ada, 'r1')])
    expect(first).toMatch(/^[\w-]{22}$/)
    expect(again).toBe(first)
    expect((await list(ada)).total).toBe(before + 1)
    const others = [await reserve(ada, 'r2'), await reserve(eve, 'r1'), await ada.newChat()]
    expect(new Set([first, ...others]).size).toBe(4)

    await sendAndReceive(ada, first, 'Kept', 'Yes.')
    expect(await reserve(ada, 'r1')).toBe(first)
    expect((await ada.readChat(first)).messages).toHaveLength(2)
    expect((await ada.get('/api/chat/id?request=a%2Fb')).statusCode).toBe(400)
  })

  it('requires a signed-in user for every request', async () => {
    const calls = [
      ['GET', '/api/chat/id'],
      ['GET', '/api/chats/x'],
      ['GET', '/api/chats'],
      ['GET', '/api/chat/x/stream'],
      ['POST', '/api/chat/completions'],
      ['POST', '/api/chat/stop'],
      ['POST', '/api/chat/select-response'],
    ] as const
    for (const [method, url] of calls) {
      const response = await product.app.inject({ method, url, headers: { host: 'localhost:3000' } })
      expect(response.statusCode).toBe(401)
    }
  })
})

function byTime(chats: ChatList) {
  const indexOf = (id: string | undefined) => chats.chats.findIndex((chat) => chat.id === id)
  return (a: string | undefined, b: string | undefined) => indexOf(a) - indexOf(b)
}
