import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { claimPendingCall } from '../chats/tool-call-store.ts'
import type { ChatClient } from '../testing/chat/open-chat-app.ts'
import { callOf, openToolApp, waitingCall, type ToolApp } from '../testing/chat/open-tool-app.ts'
import { hashTables } from '../testing/database/hash-tables.ts'
import { engines, isConcurrent } from '../testing/database/test-database.ts'
import { statusAndBody } from '../testing/send-request.ts'

const conflict = (message: string) => ({
  status: 409,
  body: { error: { code: 'conflict', message: expect.stringContaining(message) as string } },
})

describe.each(engines)('approval of tool calls, on %s', (engine) => {
  let product: ToolApp
  let count = 0
  beforeAll(async () => {
    product = await openToolApp({ engine })
  })
  afterAll(() => product.close())

  /** Signs in a user whose only tool is this one. */
  async function joinWithTool(behaviour: string, allow_tools: readonly string[] | null): Promise<ChatClient> {
    const client = await product.join(`User ${++count}`)
    await product.connect(client, behaviour, { allow_tools })
    return client
  }

  /** Creates a chat with a call that needs approval. */
  async function requestCall(client: ChatClient, behaviour = 'polite', tool = 'act', args: object = {}) {
    product.model.reply(['Let me see.', callOf(behaviour, tool, args)])
    const chatId = await client.newChat()
    const stream = await client.send(chatId, 'Do it')
    await stream.ended
    return { chatId, stream, call: waitingCall(chatId, stream) }
  }

  const replyWith = (text: string) => product.model.reply([text])
  const lastPrompt = () => product.model.requests.at(-1)?.body.messages ?? []

  it.each([
    ['of a connector without a list', null, 'no_list'],
    ['on the list', ['act'], 'listed'],
  ] as const)('runs a tool %s at once, and continues (§4.18)', async (_what, allow_tools, approval) => {
    const ada = await joinWithTool('polite', allow_tools)
    const before = await product.countCalls('polite')
    product.model.reply([callOf('polite', 'act')])
    replyWith('It is done.')
    const chatId = await ada.newChat()
    const stream = await ada.send(chatId, 'Do it')
    await stream.ended
    expect(stream.run.messages).toMatchObject([
      { role: 'user' },
      { call: { state: 'answered' }, server: 'polite', tool: 'act', status: 'complete' },
      { role: 'user', server: 'polite', content: 'done', outcome: { status: 'done' } },
      { content: 'It is done.', status: 'complete' },
    ])
    expect((await ada.readChat(chatId)).messages).toEqual(stream.run.messages)
    expect(await product.countCalls('polite')).toBe(before + 1)
    expect(await product.listRecords(ada)).toEqual([{ tool: 'act', approval, outcome: 'done' }])
  })

  describe.each([
    ['an empty list', []],
    ['a list without it', ['other']],
  ] as const)('a tool of a connector with %s', (_what, allow_tools) => {
    it('needs approval, also after a reload, and is not called before (§4.19)', async () => {
      const ada = await joinWithTool('polite', allow_tools)
      const before = await product.countCalls('polite')
      const { chatId, stream } = await requestCall(ada)
      const chat = await ada.readChat(chatId)
      expect(chat.messages).toEqual(stream.run.messages)
      expect(chat.messages.at(-1)).toMatchObject({
        content: 'Let me see.',
        status: 'complete',
        call: { state: 'waiting' },
      })
      expect(chat.run).toBeNull()
      expect(await product.countCalls('polite')).toBe(before)
      expect(await product.listRecords(ada)).toEqual([])
    })

    it('runs once after it was allowed once, and needs approval the next time (§4.20)', async () => {
      const ada = await joinWithTool('polite', allow_tools)
      const before = await product.countCalls('polite')
      const { chatId, call } = await requestCall(ada)
      replyWith('It is done.')
      const confirmed = await ada.confirm(call)
      await confirmed.ended
      expect(confirmed.events[0]).toMatchObject({
        type: 'started',
        assistant_message: { id: call.messageId, call: { state: 'running' } },
      })
      expect(confirmed.text).toBe('It is done.')
      expect((await ada.readChat(chatId)).messages).toEqual(confirmed.run.messages)
      expect(await product.countCalls('polite')).toBe(before + 1)
      expect(await product.listRecords(ada)).toEqual([{ tool: 'act', approval: 'once', outcome: 'done' }])
      await requestCall(ada)
      expect(await product.countCalls('polite')).toBe(before + 1)
    })

    it('runs without approval after it was always allowed (§4.21)', async () => {
      const ada = await joinWithTool('polite', allow_tools)
      const { call } = await requestCall(ada)
      const url = product.mcpServer.url('polite')
      await ada.put('/api/mcp-server/polite', { name: 'polite', url, allow_tools: [...allow_tools, 'act'] })
      replyWith('One.')
      await (
        await ada.confirm(call)
      ).ended
      product.model.reply([callOf('polite', 'act')])
      replyWith('Two.')
      const again = await ada.send(await ada.newChat(), 'Again')
      await again.ended
      expect(again.text).toBe('Two.')
      expect((await product.listRecords(ada)).map(({ approval }) => approval)).toEqual(['listed', 'listed'])
    })

    it.each(['cancel', 'Something else entirely'])(
      'is denied when the user sends "%s" instead, and the model receives the denial (§4.22)',
      async (content) => {
        const ada = await joinWithTool('polite', allow_tools)
        const before = await product.countCalls('polite')
        const { chatId, call } = await requestCall(ada)
        replyWith('Then not.')
        const denied = await ada.send(chatId, content, { parentId: call.messageId })
        await denied.ended
        expect(denied.text).toBe('Then not.')
        const chat = await ada.readChat(chatId)
        expect(chat.messages[1]).toMatchObject({ id: call.messageId, call: { state: 'denied' } })
        expect(lastPrompt()).toMatchObject([
          { role: 'user' },
          { role: 'assistant', tool_calls: [{ id: 'call00001' }] },
          { role: 'tool', tool_call_id: 'call00001', content: 'This call was denied by the user.' },
          { role: 'assistant', content: '[No reply]' },
          { role: 'user', content },
        ])
        expect(await product.countCalls('polite')).toBe(before)
        expect(await product.listRecords(ada)).toEqual([
          { tool: 'act', approval: 'denied', outcome: 'denied' },
        ])
        expect(statusAndBody(await ada.post('/api/tool/confirm', call))).toEqual(conflict('denied'))
      },
    )
  })

  it('streams a call that was approved in one tab to a second tab (§4.20)', async () => {
    const ada = await joinWithTool('polite', [])
    const { chatId, call } = await requestCall(ada)
    const gate = product.model.gate()
    product.model.reply(['It is ', gate, 'done.'])
    const confirmed = await ada.confirm(call)
    await confirmed.until(({ text }) => text === 'It is ')
    const second = await ada.follow(chatId)
    const chat = await ada.readChat(chatId)
    expect(chat.run?.message_id).toBe(call.messageId)
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    gate.open()
    await Promise.all([confirmed.ended, second.ended])
    expect(second.run).toEqual(confirmed.run)
    expect((await ada.readChat(chatId)).messages).toEqual(confirmed.run.messages)
  })

  it('needs approval again for a tool that has changed, and shows the changes', async () => {
    const ada = await joinWithTool('rug-pull', ['send'])
    await product.mcpServer.nextPhase('rug-pull')
    await ada.post('/api/mcp-server/rug-pull/disconnect')
    await ada.post('/api/mcp-server/rug-pull/connect')
    const { stream } = await requestCall(ada, 'rug-pull', 'send')
    expect(stream.run.messages.at(-1)?.call).toMatchObject({
      state: 'waiting',
      changes: [{ what: 'description', before: 'Sends a note.' }, { what: 'annotations' }],
    })
    expect(await product.listRecords(ada)).toEqual([])
  })

  it('does not call a tool that has changed since the approval was requested', async () => {
    const ada = await joinWithTool('polite', [])
    const { call } = await requestCall(ada)
    const before = await product.countCalls('polite')
    await product.database.db
      .updateTable('connector_tools')
      .set({ fingerprint: 'another' })
      .where('connector_id', 'in', (eb) =>
        eb.selectFrom('connectors').select('id').where('user_id', '=', ada.user.id),
      )
      .execute()
    replyWith('Then not.')
    const confirmed = await ada.confirm(call)
    await confirmed.ended
    expect(confirmed.run.messages[2]).toMatchObject({
      outcome: { status: 'failed' },
      content: expect.stringContaining('has changed') as string,
    })
    expect(await product.countCalls('polite')).toBe(before)
    expect(await product.listRecords(ada)).toEqual([])
  })

  describe('refuses, and writes nothing,', () => {
    let ada: ChatClient
    let eve: ChatClient
    beforeAll(async () => {
      ada = await joinWithTool('polite', [])
      eve = await joinWithTool('polite', [])
    })

    async function expectRefused(
      body: Readonly<Record<string, unknown>>,
      message: string,
      client = ada,
    ): Promise<void> {
      const [before, calls] = [await hashTables(product.database), await product.countCalls('polite')]
      const requestsBefore = product.model.requests.length
      expect(statusAndBody(await client.post('/api/tool/confirm', body))).toEqual(conflict(message))
      expect(await hashTables(product.database)).toEqual(before)
      expect(await product.countCalls('polite')).toBe(calls)
      expect(product.model.requests.length).toBe(requestsBefore)
    }

    it.each([
      ['other arguments', { args: { a: 2 } }, 'other arguments'],
      ['further arguments', { args: { a: 1, b: 1 } }, 'other arguments'],
      ['no arguments', { args: null }, 'other arguments'],
      ['arguments that are no JSON', { args: '{"a":' }, 'other arguments'],
      ['arguments that are no object', { args: '[1]' }, 'other arguments'],
      ['another tool', { tool: 'act2' }, 'No such call needs approval'],
      ['another connector', { server: 'default' }, 'No such call needs approval'],
      ['another message', { messageId: 'never' }, 'No such call needs approval'],
    ])('%s', async (_what, change, message) => {
      const { call } = await requestCall(ada, 'polite', 'act', { a: 1 })
      await expectRefused({ ...call, ...change }, message)
    })

    it('a call that the model never made', async () => {
      const lonely = await joinWithTool('polite', [])
      const made = { botName: 'Helper', server: 'polite', tool: 'act', args: {} }
      await expectRefused(made, 'No such call needs approval', lonely)
    })

    it('a call of another user', async () => {
      const { chatId, call } = await requestCall(ada)
      const { chatId: _, messageId: __, ...loose } = call
      await expectRefused(loose, 'No such call needs approval', eve)
      const before = await hashTables(product.database)
      expect(statusAndBody(await eve.post('/api/tool/confirm', call))).toMatchObject({ status: 404 })
      expect(await hashTables(product.database)).toEqual(before)
      expect((await ada.readChat(chatId)).messages.at(-1)?.call?.state).toBe('waiting')
    })

    it('a call that was already approved, during the call and afterwards', async () => {
      const { call } = await requestCall(ada)
      const gate = product.model.gate()
      product.model.reply([gate, 'done'])
      const confirmed = await ada.confirm(call)
      await confirmed.until(({ events }) => events.some(({ type }) => type === 'tool_result'))
      expect(statusAndBody(await ada.post('/api/tool/confirm', call))).toEqual(
        conflict('was already allowed'),
      )
      gate.open()
      await confirmed.ended
      await expectRefused(call, 'was already allowed')
    })
  })

  it('returns a result that the connector does not exist any more', async () => {
    const ada = await joinWithTool('polite', [])
    const { call } = await requestCall(ada)
    await ada.delete('/api/mcp-server/polite')
    const before = await product.countCalls('polite')
    replyWith('Then not.')
    const confirmed = await ada.confirm(call)
    await confirmed.ended
    expect(confirmed.run.messages[2]).toMatchObject({
      content: 'The connector "polite" was deleted before the call, so the tool was not called.',
      outcome: { status: 'failed' },
    })
    expect(confirmed.text).toBe('Then not.')
    expect(await product.countCalls('polite')).toBe(before)
  })

  it('accepts the same arguments in another order, as text or as an object (§7.12)', async () => {
    const ada = await joinWithTool('polite', [])
    for (const args of [{ b: { d: 2, c: 1 }, a: 1 }, '{"b":{"d":2,"c":1},"a":1}']) {
      await requestCall(ada, 'polite', 'act', { a: 1, b: { c: 1, d: 2 } })
      replyWith('done')
      const confirmed = await ada.confirm({ server: 'polite', tool: 'act', args })
      await confirmed.ended
      expect(confirmed.text).toBe('done')
    }
  })

  it('finds a call by its arguments among many calls of its tool that need approval', async () => {
    const ada = await joinWithTool('polite', [])
    const { chatId } = await requestCall(ada, 'polite', 'act', { a: 'oldest' })
    const { db } = product.database
    const { position: _, ...row } = await db
      .selectFrom('messages')
      .selectAll()
      .where('chat_id', '=', chatId)
      .where('call_state', '=', 'waiting')
      .executeTakeFirstOrThrow()
    const newer = Array.from({ length: 120 }, (_, index) => ({
      ...row,
      id: `newer-${index}`,
      arguments: JSON.stringify({ a: index }),
      unix_timestamp: row.unix_timestamp + 1,
    }))
    await db.insertInto('messages').values(newer).execute()
    replyWith('done')
    const confirmed = await ada.confirm({ server: 'polite', tool: 'act', args: { a: 'oldest' } })
    await confirmed.ended
    expect(confirmed.text).toBe('done')
    expect(
      statusAndBody(
        await ada.post('/api/tool/confirm', { server: 'polite', tool: 'act', args: {}, botName: 'Helper' }),
      ),
    ).toEqual(conflict('other arguments'))
  })

  it.runIf(isConcurrent(engine))(
    'runs a call once when it is approved many times at once (§7.12)',
    async () => {
      const ada = await joinWithTool('polite', [])
      const { chatId, call } = await requestCall(ada)
      const before = await product.countCalls('polite')
      replyWith('done')
      const streams = await Promise.all(Array.from({ length: 12 }, () => ada.confirm(call)))
      await Promise.all(streams.map((stream) => stream.ended))
      expect(streams.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        200,
        ...Array.from({ length: 11 }, () => 409),
      ])
      for (const { status, raw } of streams) if (status === 409) expect(raw).toContain('was already allowed')
      expect(await product.countCalls('polite')).toBe(before + 1)
      expect(await product.listRecords(ada)).toHaveLength(1)
      expect((await ada.readChat(chatId)).messages).toHaveLength(4)
    },
  )

  it('can be claimed only once', async () => {
    const ada = await joinWithTool('polite', [])
    const { chatId, call } = await requestCall(ada)
    const at = { chat_id: chatId, id: call.messageId ?? '' }
    const { db } = product.database
    expect(await claimPendingCall(db, at, { state: 'denied' })).toBe(true)
    expect(await claimPendingCall(db, at, { state: 'running' })).toBe(false)
    expect((await ada.readChat(chatId)).messages.at(-1)?.call?.state).toBe('denied')
  })
})

describe('a user who approves many calls', () => {
  it('is rate-limited as for completions, and the call still needs approval', async () => {
    const product = await openToolApp({ environment: { RATE_LIMIT_COMPLETIONS: '2' } })
    const ada = await product.join()
    await product.connect(ada, 'polite')
    product.model.reply([callOf('polite', 'act')])
    const chatId = await ada.newChat()
    const stream = await ada.send(chatId, 'Do it')
    await stream.ended
    const call = waitingCall(chatId, stream)
    const wrong = { ...call, tool: 'another' }
    const statuses = []
    for (const body of [wrong, wrong, call])
      statuses.push((await ada.post('/api/tool/confirm', body)).statusCode)
    expect(statuses).toEqual([409, 409, 429])
    expect((await ada.readChat(chatId)).messages.at(-1)?.call?.state).toBe('waiting')
    expect(await product.countCalls('polite')).toBe(0)
    await product.close()
  })
})
