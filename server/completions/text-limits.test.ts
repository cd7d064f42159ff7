import { countChars as countMessageChars } from '@yonder/contract/message-text'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { botName, openChatApp, type ChatApp, type ChatClient } from '../testing/chat/open-chat-app.ts'
import { callOf, openToolApp, waitingCall } from '../testing/chat/open-tool-app.ts'
import { hashTables } from '../testing/database/hash-tables.ts'
import { engines } from '../testing/database/test-database.ts'

const maxChatChars = 20_000_000

describe.each(engines)('the text of a chat on %s', (engine) => {
  let product: ChatApp
  let ada: ChatClient
  beforeAll(async () => {
    product = await openChatApp({ engine })
    ada = await product.join('Ada')
  })
  afterAll(() => product.close())

  const chats = () => product.database.db.updateTable('chats')
  const countChars = async (id: string) =>
    (
      await product.database.db
        .selectFrom('chats')
        .select('chars')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    ).chars

  it('is counted with each message and reply', async () => {
    const chatId = await ada.newChat()
    product.model.reply(['Hello', ' Ada', { finish: 'stop' }])
    const stream = await ada.send(chatId, 'Hi')
    await stream.ended
    expect(await countChars(chatId)).toBe('Hi'.length + 'Hello Ada'.length)
  })

  it('does not include the error of a failed reply, which is not stored in its text', async () => {
    const chatId = await ada.newChat()
    product.model.reply([{ status: 400, body: { error: { message: 'No such model' } } }])
    const stream = await ada.send(chatId, 'Hi')
    await stream.ended
    expect((await ada.readChat(chatId)).messages.at(-1)?.status).toBe('failed')
    expect(await countChars(chatId)).toBe('Hi'.length)
  })

  it('has at most 20,000,000 characters: further messages and replies are refused, and nothing is written', async () => {
    const chatId = await ada.newChat()
    const stream = await ada.send(chatId, 'Hi')
    await stream.ended
    const userMessageId = stream.run.messages[0]?.id
    await chats()
      .set({ chars: maxChatChars - 2 })
      .where('id', '=', chatId)
      .execute()
    const before = await hashTables(product.database)
    const refused = await ada.post('/api/chat/completions', { chatId, botName, content: 'abc' })
    expect(refused.statusCode).toBe(409)
    expect(refused.json()).toEqual({
      error: {
        code: 'conflict',
        message: 'This chat has reached the limit of 20,000,000 characters. Start a new chat.',
      },
    })
    expect(await hashTables(product.database)).toEqual(before)
    await (
      await ada.send(chatId, 'ab')
    ).ended
    expect(await countChars(chatId)).toBeGreaterThan(maxChatChars)
    const full = await hashTables(product.database)
    const regenerate = await ada.post('/api/chat/completions', { chatId, botName, userMessageId })
    expect(regenerate.statusCode).toBe(409)
    expect(await hashTables(product.database)).toEqual(full)
    // Reading and other chats are not affected.
    expect((await ada.readChat(chatId)).messages).toHaveLength(4)
    await (
      await ada.send(await ada.newChat(), 'Hi')
    ).ended
  })
})

it('counts each message once when a call needs approval', async () => {
  const product = await openToolApp()
  const ada = await product.join('Ada')
  await product.connect(ada, 'polite')
  product.model.reply(['Let me see.', callOf('polite', 'act', {})])
  const chatId = await ada.newChat()
  const stream = await ada.send(chatId, 'Do it')
  await stream.ended
  const count = async () => {
    const [chat] = await product.database.db
      .selectFrom('chats')
      .select('chars')
      .where('id', '=', chatId)
      .execute()
    return chat?.chars
  }
  expect(await count()).toBe('Do it'.length + 'Let me see.'.length + '{}'.length)
  product.model.reply(['It is done.'])
  await (
    await ada.confirm(waitingCall(chatId, stream))
  ).ended
  const texts = (await ada.readChat(chatId)).messages.map((message) => countMessageChars(message))
  expect(texts).toHaveLength(4)
  expect(await count()).toBe(texts.reduce((sum, chars) => sum + chars, 0))
  await product.close()
})

it.each([
  ['approves', 'done', 'answered'],
  ['denies', 'cancel', 'denied'],
] as const)(
  'lets a user decide about a waiting call of a full chat: %s',
  async (decision, content, state) => {
    const product = await openToolApp()
    const ada = await product.join('Ada')
    await product.connect(ada, 'polite')
    product.model.reply([callOf('polite', 'act', {})])
    const chatId = await ada.newChat()
    const stream = await ada.send(chatId, 'Do it')
    await stream.ended
    await product.database.db
      .updateTable('chats')
      .set({ chars: maxChatChars + 1 })
      .where('id', '=', chatId)
      .execute()
    const requests = product.model.requests.length
    const call = waitingCall(chatId, stream)
    const decided =
      decision === 'approves'
        ? await ada.confirm(call)
        : await ada.send(chatId, content, { parentId: call.messageId })
    await decided.ended
    // The model is not called, so that the chat does not grow further.
    expect(product.model.requests).toHaveLength(requests)
    const { messages } = await ada.readChat(chatId)
    expect(messages.slice(1)).toMatchObject([
      { call: { state } },
      { content },
      {
        status: 'failed',
        error: { code: 'output_limit', message: expect.stringContaining('new chat') as string },
      },
    ])
    await product.close()
  },
)

it.each([
  ['approved', 1],
  ['denied', 0],
] as const)('makes no further call of the batch after one was %s in a full chat', async (decision, count) => {
  const product = await openToolApp()
  const ada = await product.join('Ada')
  await product.connect(ada, 'polite')
  product.model.reply([callOf('polite', 'act', {}, 'a'), callOf('polite', 'act', {}, 'b')])
  const chatId = await ada.newChat()
  const stream = await ada.send(chatId, 'Do it twice')
  await stream.ended
  await product.database.db
    .updateTable('chats')
    .set({ chars: maxChatChars + 1 })
    .where('id', '=', chatId)
    .execute()
  await ada.put('/api/mcp-server/polite', {
    name: 'polite',
    url: product.mcpServer.url('polite'),
    allow_tools: null,
  })
  const call = waitingCall(chatId, stream)
  const decided =
    decision === 'approved'
      ? await ada.confirm(call)
      : await ada.send(chatId, 'cancel', { parentId: call.messageId, denyOne: true })
  await decided.ended
  expect(await product.countCalls('polite')).toBe(count)
  const { messages } = await ada.readChat(chatId)
  expect(messages.slice(3)).toMatchObject([{ status: 'failed', error: { code: 'output_limit' } }])
  await product.close()
})

it('refuses another reply to a user who has as many in progress as messages may be sent in a minute', async () => {
  const product = await openChatApp({ environment: { RATE_LIMIT_COMPLETIONS: '2' } })
  const ada = await product.join('Ada')
  const grace = await product.join('Grace')
  const gate = product.model.gate()
  const streams = []
  for (let index = 0; index < 2; index += 1) {
    product.model.reply([gate, 'Done', { finish: 'stop' }])
    streams.push(await ada.send(await ada.newChat(), 'Hi'))
  }
  const confirm = { botName, server: 'any', tool: 'any', args: {} }
  const refused = await ada.post('/api/tool/confirm', confirm)
  expect(refused.statusCode).toBe(429)
  expect(refused.body).toContain('You have reached the limit of 2 replies in progress.')
  expect((await grace.post('/api/tool/confirm', confirm)).statusCode).toBe(409)
  gate.open()
  for (const stream of streams) await stream.ended
  expect((await ada.post('/api/tool/confirm', confirm)).statusCode).toBe(409)
  await product.close()
})

it('ends a run whose replies and results have more than 5,000,000 characters', async () => {
  const product = await openToolApp()
  const ada = await product.join('Ada')
  await product.connect(ada, 'polite', { allow_tools: ['act'] })
  // One event of a stream has at most 1,000,000 characters.
  const half = 'x'.repeat(499_990)
  for (let round = 0; round < 7; round += 1) product.model.reply([half, half, callOf('polite', 'act')])
  const chatId = await ada.newChat()
  const stream = await ada.send(chatId, 'Work')
  await stream.ended
  const { messages } = await ada.readChat(chatId)
  expect(messages.at(-1)).toMatchObject({ status: 'failed', error: { code: 'output_limit' } })
  expect(messages.filter(({ role }) => role === 'assistant')).toHaveLength(7)
  await product.close()
})
