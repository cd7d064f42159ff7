import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChatClient } from '../../testing/chat/open-chat-app.ts'
import type { TestStream } from '../../testing/chat/open-stream.ts'
import { callOf, openToolApp, waitingCall, type ToolApp } from '../../testing/chat/open-tool-app.ts'
import { hashTables } from '../../testing/database/hash-tables.ts'
import { engines } from '../../testing/database/test-database.ts'

describe.each(engines)('continuing from the result of a tool, on %s', (engine) => {
  let product: ToolApp
  let ada: ChatClient
  beforeAll(async () => {
    product = await openToolApp({ engine })
    ada = await product.join('Ada')
    await product.connect(ada, 'polite')
    await product.connect(ada, 'silent-call', { allow_tools: null })
  })
  afterAll(() => product.close())

  async function requestCall(...calls: ReturnType<typeof callOf>[]) {
    product.model.reply(calls.length === 0 ? [callOf('polite', 'act')] : calls)
    const chatId = await ada.newChat()
    const stream = await ada.send(chatId, 'Do it')
    await stream.ended
    return { chatId, stream, call: waitingCall(chatId, stream) }
  }

  /** A chat whose reply was stopped in the middle of a call. */
  async function stopInCall(...more: ReturnType<typeof callOf>[]) {
    product.model.reply([callOf('silent-call', 'act', {}, 'aaaaaaaaa'), ...more])
    const chatId = await ada.newChat()
    const stream = await ada.send(chatId, 'Hang')
    await stream.until(({ run }) => run.messages[1]?.call?.state === 'running')
    await ada.post('/api/chat/stop', { chatId })
    await stream.ended
    const result = stream.run.messages.at(-1)
    if (result?.outcome?.status !== 'stopped') throw new Error('nothing was stopped')
    return { chatId, stream, result }
  }

  const continueFrom = (chatId: string, server: string, more: object = {}) =>
    ada.complete({ chatId, content: 'made up', server, ...more })
  const textOf = async (stream: TestStream) => {
    await stream.ended
    return stream.text
  }

  it('returns the run that already continues: no tool and no model is called twice (§4.23)', async () => {
    const { chatId, call } = await requestCall()
    const gate = product.model.gate()
    product.model.reply(['It is ', gate, 'done.'])
    const confirmed = await ada.confirm({ server: call.server, tool: call.tool, args: call.args })
    await confirmed.until(({ events }) => events.some(({ type }) => type === 'tool_result'))
    const [calls, countRequests] = [await product.countCalls('polite'), () => product.model.requests.length]
    const early = await continueFrom(chatId, 'polite')
    await confirmed.until(({ text }) => text === 'It is ')
    const before = countRequests()
    gate.open()
    expect(await textOf(early)).toBe('It is done.')
    await confirmed.ended
    const late = await continueFrom(chatId, 'polite')
    expect(await textOf(late)).toBe('It is done.')
    expect(late.events).toEqual(early.events)
    const result = confirmed.run.messages.find(({ outcome }) => outcome !== undefined)
    expect(await textOf(await continueFrom(chatId, 'polite', { parentId: result?.id }))).toBe('It is done.')
    expect(countRequests()).toBe(before)
    expect(await product.countCalls('polite')).toBe(calls)
    const chat = await ada.readChat(chatId)
    expect(chat.messages).toEqual(confirmed.run.messages)
    expect(JSON.stringify(chat)).not.toContain('made up')
  })

  it('is replayed from the messages when the log is removed', async () => {
    const { chatId, call } = await requestCall()
    product.model.reply(['Done.'])
    const confirmed = await ada.confirm(call)
    await confirmed.ended
    await product.database.db.deleteFrom('runs').where('chat_id', '=', chatId).execute()
    const late = await continueFrom(chatId, 'polite')
    expect(await textOf(late)).toBe('Done.')
    expect(late.run.messages).toEqual(confirmed.run.messages.slice(2))
    const chat = await ada.readChat(chatId)
    expect(chat.messages).toEqual(confirmed.run.messages)
  })

  it('replays a repeated message with all of its calls when the log is removed', async () => {
    await ada.put('/api/mcp-server/polite', {
      name: 'polite',
      url: product.mcpServer.url('polite'),
      allow_tools: null,
    })
    product.model.reply([
      'First.',
      callOf('polite', 'act', { n: 1 }, 'aaaaaaaaa'),
      callOf('polite', 'act', { n: 2 }, 'bbbbbbbbb'),
    ])
    product.model.reply(['Both done.'])
    const chatId = await ada.newChat()
    const sent = await ada.send(chatId, 'Twice', { id: 'once', parentId: null })
    await sent.ended
    await product.database.db.deleteFrom('runs').where('chat_id', '=', chatId).execute()
    const again = await ada.send(chatId, 'Twice', { id: 'once', parentId: null })
    await again.ended
    expect(again.run.messages).toEqual(sent.run.messages)
    expect(again.run.status).toBe('complete')
    await ada.put('/api/mcp-server/polite', {
      name: 'polite',
      url: product.mcpServer.url('polite'),
      allow_tools: [],
    })
  })

  it('calls the model after a run that was stopped (§4.23)', async () => {
    const { chatId, result } = await stopInCall()
    product.model.reply(['Then without.'])
    const stream = await continueFrom(chatId, 'silent-call', { parentId: result.id })
    expect(await textOf(stream)).toBe('Then without.')
    expect(stream.events[0]).toMatchObject({ type: 'started', user_message: { id: result.id } })
    expect((await ada.readChat(chatId)).messages.at(-1)).toMatchObject({
      parent_id: result.id,
      content: 'Then without.',
    })
  })

  it('continues when only a message of the user follows the result (§4.23)', async () => {
    const { chatId, result } = await stopInCall()
    product.model.reply(['Something else.'])
    const other = await ada.send(chatId, 'Do something else', { parentId: result.id })
    await other.ended
    product.model.reply(['Going on.'])
    const continued = await continueFrom(chatId, 'silent-call', { parentId: result.id })
    expect(await textOf(continued)).toBe('Going on.')
    const again = await continueFrom(chatId, 'silent-call', { parentId: result.id })
    expect(await textOf(again)).toBe('Going on.')
  })

  it('first dispatches the other calls of the batch whose call was stopped', async () => {
    const { chatId, result } = await stopInCall(callOf('polite', 'act', {}, 'bbbbbbbbb'))
    const stream = await continueFrom(chatId, 'silent-call', { parentId: result.id })
    await stream.ended
    expect(stream.run.messages.at(-1)).toMatchObject({
      server: 'polite',
      call: { state: 'waiting' },
      parent_id: result.id,
    })
    product.model.reply(['One of two.'])
    const confirmed = await ada.confirm(waitingCall(chatId, stream))
    expect(await textOf(confirmed)).toBe('One of two.')
    expect(product.model.requests.at(-1)?.body.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'aaaaaaaaa' }, { id: 'bbbbbbbbb' }] },
      { role: 'tool', tool_call_id: 'aaaaaaaaa', content: expect.stringContaining('stopped') as string },
      { role: 'tool', tool_call_id: 'bbbbbbbbb', content: expect.stringContaining('\ndone\n') as string },
    ])
  })

  it('creates a sibling when another reply to the result is requested (§4.24, §4.25)', async () => {
    const { chatId, call } = await requestCall()
    product.model.reply(['One answer.'])
    const confirmed = await ada.confirm(call)
    await confirmed.ended
    const [, , result, first] = confirmed.run.messages
    product.model.reply(['Another answer.'])
    const other = await ada.complete({ chatId, userMessageId: result?.id })
    expect(await textOf(other)).toBe('Another answer.')
    const second = other.run.messages.at(-1)
    expect(second?.parent_id).toBe(result?.id)
    const select = await ada.post('/api/chat/select-response', { chatId, messageId: first?.id })
    expect(select.json()).toEqual({ selected_message_id: first?.id })
    expect((await ada.readChat(chatId)).selected_message_id).toBe(first?.id)
    // Selecting a message above them selects the path that was shown last.
    const root = confirmed.run.messages[1]?.id
    const above = await ada.post('/api/chat/select-response', { chatId, messageId: root })
    expect(above.json()).toEqual({ selected_message_id: first?.id })
  })

  describe('refuses, and writes nothing,', () => {
    async function expectRefused(body: Readonly<Record<string, unknown>>, status: number): Promise<void> {
      const before = await hashTables(product.database)
      const requestsBefore = product.model.requests.length
      const stream = await ada.complete({ content: 'all done, trust me', ...body })
      await stream.ended
      expect([stream.status, stream.raw]).toEqual([status, stream.raw])
      expect(await hashTables(product.database)).toEqual(before)
      expect(product.model.requests.length).toBe(requestsBefore)
    }

    it('when the call still needs approval', async () => {
      const { chatId, call } = await requestCall()
      await expectRefused({ chatId, server: 'polite' }, 409)
      await expectRefused({ chatId, server: 'polite', parentId: call.messageId }, 409)
    })

    it('when there is no result of this connector', async () => {
      const chatId = await ada.newChat()
      await expectRefused({ chatId, server: 'polite' }, 409)
      const { chatId: stopped, result } = await stopInCall()
      await expectRefused({ chatId: stopped, server: 'polite', parentId: result.id }, 409)
      await expectRefused({ chatId: stopped, server: 'silent-call', parentId: 'never' }, 404)
    })
  })

  it('excludes tool results from the list of chats and from the search', async () => {
    const { chatId } = await stopInCall()
    const list = await ada.get('/api/chats?limit=1')
    expect(list.json()).toMatchObject({
      chats: [{ id: chatId, messages: [{ role: 'user' }, { role: 'assistant' }] }],
    })
    expect(list.body).not.toContain('was stopped')
    const found = await ada.get(`/api/chats?search=${encodeURIComponent('call was stopped')}`)
    expect(found.json()).toMatchObject({ total: 0 })
  })
})
