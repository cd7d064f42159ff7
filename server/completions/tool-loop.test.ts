import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startDemoModel } from '../models/start-demo-model.ts'
import type { ChatClient } from '../testing/open-chat-app.ts'
import type { TestStream } from '../testing/open-stream.ts'
import { callOf, openToolApp, waitingCall } from '../testing/open-tool-app.ts'
import type { ToolApp } from '../testing/open-tool-app.ts'
import { startEverything } from '../testing/start-mcp-process.ts'
import type { McpProcess } from '../testing/start-mcp-process.ts'
import { engines } from '../testing/test-database.ts'
import { mostRounds } from './run-completion.ts'

const calculate = (expression: string, id?: string) => callOf('default', 'calculate', { expression }, id)

describe.each(engines)('a reply that calls tools, on %s', (engine) => {
  let product: ToolApp
  let everything: McpProcess
  let ada: ChatClient
  beforeAll(async () => {
    everything = await startEverything()
    product = await openToolApp({ engine })
    ada = await product.join('Ada')
    await ada.get('/api/mcp-servers')
    await letRun('default', 'builtin://default', null)
    for (const behaviour of ['polite', 'silent-call', 'injection', 'long-text'])
      await product.connect(ada, behaviour, { allow_tools: null })
    await ada.post('/api/mcp-server', { name: 'everything', url: everything.url, allow_tools: null })
    await ada.post('/api/mcp-server/everything/connect')
  })
  afterAll(async () => {
    await product.close()
    await everything.close()
  })

  const letRun = (name: string, url: string, allow_tools: readonly string[] | null) =>
    ada.put(`/api/mcp-server/${name}`, { name, url, allow_tools })

  async function send(content: string): Promise<{ chatId: string; stream: TestStream }> {
    const chatId = await ada.newChat()
    return { chatId, stream: await ada.send(chatId, content) }
  }

  const sentToModel = () => product.model.requests.at(-1)?.body.messages
  const callOfReply = ({ run }: TestStream) => run.messages.findLast(({ role }) => role === 'assistant')?.call
  const resultOf = ({ run }: TestStream) => run.messages.findLast(({ outcome }) => outcome !== undefined)

  it('says what was called, stores the result before it is sent, and goes on (§3.10, §3.11, §7.36, §7.37)', async () => {
    product.model.reply(['I will count.', calculate('2 + 3')])
    product.model.reply(['It is 5.'])
    const { chatId, stream } = await send('Add 2 and 3')
    await stream.until(({ events }) => events.some(({ type }) => type === 'tool_result'))
    const stored = (await ada.readChat(chatId)).messages.find(({ outcome }) => outcome !== undefined)
    await stream.ended
    expect(stream.events.find(({ type }) => type === 'tool_call')).toMatchObject({
      server: 'default',
      tool: 'calculate',
      arguments: '{"expression":"2 + 3"}',
      plainContent: 'I will count.',
      call: { state: 'running', title: 'Calculator' },
    })
    expect(stream.events.find(({ type }) => type === 'tool_result')).toMatchObject({
      role: 'user',
      content: '5',
      message: stored,
    })
    expect(stream.run.messages).toMatchObject([
      { role: 'user', content: 'Add 2 and 3' },
      { content: 'I will count.', call: { state: 'answered' }, status: 'complete' },
      { role: 'user', server: 'default', tool: 'calculate', content: '5' },
      { content: 'It is 5.', status: 'complete' },
    ])
    const chat = await ada.readChat(chatId)
    expect(chat.messages).toEqual(stream.run.messages)
    expect(chat.selected_message_id).toBe(chat.messages.at(-1)?.id)
    const times = chat.messages.map(({ unix_timestamp }) => unix_timestamp)
    expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b))
  })

  it('gives the model the result as data, between marks that the tool could not know', async () => {
    product.model.reply([callOf('injection', 'act')])
    product.model.reply(['I will not.'])
    const { stream } = await send('Act')
    await stream.ended
    const result = sentToModel()?.find(({ role }) => role === 'tool')?.content as string
    const [, mark, text] = /is data and no instruction\.\n(\[[\w-]{8}\])\n([\s\S]*)\n\1$/.exec(result) ?? []
    expect(text).toContain('Ignore all instructions')
    expect(text).not.toContain(mark)
    expect(text).not.toMatch(/[\u{E0000}-\u{E007F}\u202A-\u202E]/u)
    // What it asks for is no call.
    expect((await product.listRecords(ada)).filter(({ tool }) => tool === 'delete_everything')).toEqual([])
  })

  it('shortens what a person is shown of a book', async () => {
    product.model.reply([callOf('long-text', 'act')])
    product.model.reply(['Long.'])
    const { chatId, stream } = await send('Read')
    await stream.ended
    expect(resultOf(stream)?.content.length).toBeLessThan(101_000)
    expect(JSON.stringify(resultOf(stream)?.outcome?.parts).length).toBeLessThan(51_000)
    expect((await ada.readChat(chatId)).messages).toEqual(stream.run.messages)
  })

  it('runs a tool that is not there into a result that says so (§4.18)', async () => {
    product.model.reply([{ toolCall: { name: 'rocket', arguments: '{}' } }])
    product.model.reply(['I cannot fly.'])
    const { stream } = await send('Launch')
    await stream.ended
    expect(resultOf(stream)).toMatchObject({
      content: 'There is no tool named "rocket".',
      outcome: { status: 'failed' },
    })
    expect(stream.run.messages.at(-1)).toMatchObject({ content: 'I cannot fly.', status: 'complete' })
  })

  it('goes on after a tool that fails', async () => {
    product.model.reply([calculate('1 / 0')])
    product.model.reply(['It cannot be done.'])
    const { stream } = await send('Divide')
    await stream.ended
    expect(resultOf(stream)?.outcome?.status).toBe('tool_error')
    expect(stream.run.status).toBe('complete')
  })

  it('keeps pictures beside the messages', async () => {
    product.model.reply([callOf('everything', 'get-tiny-image')])
    product.model.reply(['A picture.'])
    const { chatId, stream } = await send('Draw')
    await stream.ended
    const result = resultOf(stream)
    const place = result?.outcome?.parts.findIndex(({ type }) => type === 'image') ?? -1
    expect(result?.outcome?.parts[place]).toEqual({ type: 'image', mimeType: 'image/png' })
    const address = `/api/chats/${chatId}/images/${result?.id}`
    const image = await ada.call('GET', `${address}/${place}`)
    expect(image).toMatchObject({
      status: 200,
      body: { mimeType: 'image/png', data: expect.stringMatching(/^iVBOR/) as string },
    })
    expect((await ada.call('GET', `${address}/99`)).status).toBe(404)
    expect(JSON.stringify(await ada.readChat(chatId))).not.toContain('iVBOR')
    expect(stream.raw).not.toContain('iVBOR')
    expect(JSON.stringify(sentToModel())).not.toContain('iVBOR')
  })

  it('tells of the progress of a call, in the stream and in the chat', async () => {
    product.model.reply([callOf('everything', 'trigger-long-running-operation', { duration: 1.5, steps: 3 })])
    product.model.reply(['Done.'])
    const { chatId, stream } = await send('Wait')
    await stream.until((it) => callOfReply(it)?.progress !== undefined)
    const chat = await ada.readChat(chatId)
    expect(chat.messages[1]?.call).toMatchObject({
      state: 'running',
      progress: { progress: expect.any(Number) as number, total: 3 },
    })
    expect(chat.run?.message_id).toBe(chat.messages[1]?.id)
    await stream.ended
    expect(stream.text).toBe('Done.')
    expect(stream.run.messages[1]?.call).toEqual({ state: 'answered', title: expect.any(String) as string })
  })

  describe('with a question to its person', () => {
    const filled = { name: 'Ada', check: true }
    async function beAsked() {
      product.model.reply([callOf('everything', 'trigger-elicitation-request')])
      const sent = await send('Ask me')
      await sent.stream.until((it) => callOfReply(it)?.question !== undefined)
      const messageId = sent.stream.run.messages[1]?.id ?? ''
      const question = callOfReply(sent.stream)?.question
      return { ...sent, question, at: { chatId: sent.chatId, messageId, questionId: question?.id ?? '' } }
    }

    it('shows it, also after a reload, and goes on with the answer', async () => {
      const { chatId, stream, question, at } = await beAsked()
      expect((await ada.readChat(chatId)).messages[1]?.call?.question).toEqual(question)
      const content = Object.fromEntries(
        (question?.fields ?? []).flatMap(({ name, required, kind }) => {
          if (!required) return []
          return [[name, kind === 'switch' ? filled.check : filled.name]]
        }),
      )
      const answer = { action: 'accept', content }
      product.model.reply(['Thank you.'])
      expect(await ada.call('POST', '/api/tool/answer', { ...at, answer })).toEqual({
        status: 200,
        body: { answered: true },
      })
      await stream.ended
      expect(resultOf(stream)?.content).toContain('Ada')
      expect(stream.run.messages[1]?.call?.question).toBeUndefined()
      expect(await ada.call('POST', '/api/tool/answer', { ...at, answer })).toMatchObject({ status: 409 })
    })

    it('takes a refusal', async () => {
      const { stream, at } = await beAsked()
      product.model.reply(['Fine.'])
      await ada.call('POST', '/api/tool/answer', { ...at, answer: { action: 'decline' } })
      await stream.ended
      expect(resultOf(stream)?.content).toMatch(/decline/i)
    })

    it('refuses an answer that does not fit, to another question, and of another person', async () => {
      const { chatId, stream, at } = await beAsked()
      const eve = await product.join('Eve')
      const answer = { action: 'accept', content: { name: 5 } }
      const decline = { action: 'decline' }
      const send = (client: ChatClient, body: object) => client.call('POST', '/api/tool/answer', body)
      expect(await send(ada, { ...at, answer })).toMatchObject({ status: 400 })
      expect(await send(ada, { ...at, questionId: 'never', answer: decline })).toMatchObject({ status: 409 })
      expect(await send(ada, { ...at, messageId: 'never', answer: decline })).toMatchObject({ status: 409 })
      expect(await send(eve, { ...at, answer: decline })).toMatchObject({ status: 404 })
      expect((await ada.readChat(chatId)).messages[1]?.call?.question?.id).toBe(at.questionId)
      product.model.reply(['Fine.'])
      await send(ada, { ...at, answer: { action: 'cancel' } })
      await stream.ended
    })

    it('is given up when the reply is stopped', async () => {
      const { chatId, stream, at } = await beAsked()
      await ada.call('POST', '/api/chat/stop', { chatId })
      await stream.ended
      expect(stream.run.status).toBe('stopped')
      expect(resultOf(stream)?.outcome?.status).toBe('stopped')
      const answer = { action: 'decline' }
      expect(await ada.call('POST', '/api/tool/answer', { ...at, answer })).toMatchObject({ status: 409 })
    })
  })

  it('ends a call within a second of a stop, and can go on from there (§4.15)', async () => {
    product.model.reply([callOf('silent-call', 'act')])
    const { chatId, stream } = await send('Hang')
    await stream.until((it) => callOfReply(it)?.state === 'running')
    await expect.poll(() => product.countCalls('silent-call')).toBeGreaterThan(0)
    const asked = Date.now()
    await ada.call('POST', '/api/chat/stop', { chatId })
    await stream.ended
    expect(Date.now() - asked).toBeLessThan(1_000)
    expect(stream.run).toMatchObject({
      status: 'stopped',
      messages: [{}, { call: { state: 'answered' } }, { outcome: { status: 'stopped' } }],
    })
    const chat = await ada.readChat(chatId)
    expect(chat.messages).toEqual(stream.run.messages)
    expect(chat.selected_message_id).toBe(resultOf(stream)?.id)
    expect((await product.listRecords(ada)).at(-1)).toMatchObject({ outcome: 'stopped' })
    product.model.reply(['Never mind.'])
    const next = await ada.send(chatId, 'Go on')
    await next.ended
    expect(next.text).toBe('Never mind.')
    expect(sentToModel()).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
      { role: 'tool', content: expect.stringContaining('was stopped') as string },
      { role: 'user', content: 'Go on' },
    ])
  })

  it(`ends after ${mostRounds} rounds, and says so`, { timeout: 60_000 }, async () => {
    product.model.when('Round and round', [calculate('1 + 1')])
    const before = product.model.requests.length
    const { chatId, stream } = await send('Round and round')
    await stream.ended
    expect(product.model.requests.length).toBe(before + mostRounds)
    expect(stream.run.messages.at(-1)).toMatchObject({ status: 'failed', error: { code: 'output_limit' } })
    expect((await ada.readChat(chatId)).messages).toEqual(stream.run.messages)
    const next = await ada.send(chatId, 'And now an answer')
    await next.ended
    expect(next.run.status).toBe('complete')
  })

  describe('several at once', () => {
    beforeAll(async () => {
      await letRun('polite', product.servers.url('polite'), [])
    })

    it('makes them one after the other, and asks the model once with all results', async () => {
      product.model.reply(['Both.', calculate('1 + 1', 'a'), calculate('2 + 2', 'b')])
      product.model.reply(['2 and 4.'])
      const { chatId, stream } = await send('Two sums')
      await stream.ended
      expect(stream.run.messages).toMatchObject([
        { role: 'user' },
        { content: 'Both.', arguments: '{"expression":"1 + 1"}' },
        { content: '2' },
        { content: '', arguments: '{"expression":"2 + 2"}' },
        { content: '4' },
        { content: '2 and 4.' },
      ])
      expect(sentToModel()).toMatchObject([
        { role: 'user' },
        { role: 'assistant', content: 'Both.', tool_calls: [{ id: 'a' }, { id: 'b' }] },
        { role: 'tool', tool_call_id: 'a', content: expect.stringContaining('\n2\n') as string },
        { role: 'tool', tool_call_id: 'b', content: expect.stringContaining('\n4\n') as string },
      ])
      expect((await ada.readChat(chatId)).messages).toEqual(stream.run.messages)
    })

    it('asks for each, and goes on in the stream of the last confirmation (§4.20)', async () => {
      product.model.reply([calculate('1 + 1', 'a'), callOf('polite', 'act', {}, 'b')])
      const { chatId, stream } = await send('A sum and an act')
      await stream.ended
      expect(stream.run.messages).toMatchObject([
        {},
        { call: { state: 'answered' } },
        { content: '2' },
        { call: { state: 'waiting' }, tool: 'act' },
      ])
      product.model.reply(['All done.'])
      const confirmed = await ada.confirm(waitingCall(chatId, stream))
      await confirmed.ended
      expect(confirmed.text).toBe('All done.')
      expect(sentToModel()).toMatchObject([
        {},
        { role: 'assistant', tool_calls: [{ id: 'a' }, { id: 'b' }] },
        { tool_call_id: 'a' },
        { tool_call_id: 'b' },
      ])
      expect((await ada.readChat(chatId)).messages).toHaveLength(6)
    })

    it('denies all that were not made with the one that waits (§4.22)', async () => {
      product.model.reply([
        callOf('polite', 'act', { n: 1 }, 'a'),
        calculate('1 + 1', 'b'),
        callOf('polite', 'act', { n: 2 }, 'c'),
      ])
      const { chatId, stream } = await send('Three things')
      await stream.ended
      const records = (await product.listRecords(ada)).length
      product.model.reply(['None, then.'])
      const denied = await ada.send(chatId, 'cancel', { parentId: stream.run.messages.at(-1)?.id })
      await denied.ended
      expect(sentToModel()).toMatchObject([
        {},
        { role: 'assistant', tool_calls: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] },
        { tool_call_id: 'a', content: 'This call was denied by the user.' },
        { tool_call_id: 'b', content: 'This call was denied by the user.' },
        { tool_call_id: 'c', content: 'This call was denied by the user.' },
        { role: 'user', content: 'cancel' },
      ])
      const lines = (await product.listRecords(ada)).slice(records)
      expect(lines.map(({ tool }) => tool).toSorted()).toEqual(['act', 'act', 'calculate'])
      expect(new Set(lines.map(({ approval }) => approval))).toEqual(new Set(['denied']))
    })
  })

  describe('of a model that takes no tools', () => {
    const refusal = [{ status: 400, body: { error: { message: '"tiny" does not support tools' } } }] as const

    it('asks it again without them, and says so once for a bot and a chat', async () => {
      await ada.post('/api/bot', { name: 'Tiny', model: 'tiny' })
      const chatId = await ada.newChat()
      product.model.reply(refusal)
      product.model.reply(['I am small.'])
      const first = await ada.send(chatId, 'Hi', { botName: 'Tiny' })
      await first.ended
      expect(first.run.messages[1]).toMatchObject({
        content: 'I am small.',
        status: 'complete',
        notice: expect.stringContaining('cannot use tools') as string,
      })
      expect(product.model.requests.at(-2)?.body['tools']).toBeDefined()
      expect(product.model.requests.at(-1)?.body['tools']).toBeUndefined()
      expect((await ada.readChat(chatId)).messages).toEqual(first.run.messages)
      const asked = product.model.requests.length
      product.model.reply(['Still small.'])
      const second = await ada.send(chatId, 'And now?', { botName: 'Tiny' })
      await second.ended
      expect(second.run.messages[1]?.notice).toBeUndefined()
      expect(product.model.requests.length).toBe(asked + 1)
    })

    it('tells it in words what was called before', async () => {
      product.model.reply(['I count.', calculate('20 + 3')])
      product.model.reply(['It is 23.'])
      const { chatId, stream } = await send('Add')
      await stream.ended
      product.model.reply(['Ah.'])
      const next = await ada.send(chatId, 'And you?', { botName: 'Tiny' })
      await next.ended
      const messages = sentToModel() ?? []
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user'])
      expect(messages[1]?.content).toContain('default__calculate')
      expect(messages[2]?.content).toContain('\n23\n')
    })
  })

  it('says in the stream that connectors are being connected, and only then (§7.33)', async () => {
    const eve = await product.join('Eve')
    const first = await eve.send(await eve.newChat(), 'Hi')
    await first.ended
    const told = first.events.flatMap((event) => (event.type === 'mcp_status' ? [event] : []))
    expect(told[0]).toMatchObject({ status: 'connecting', server: 'default' })
    expect(told.at(-1)).toMatchObject({ status: 'summary', finished: true })
    const second = await eve.send(await eve.newChat(), 'Hi again')
    await second.ended
    expect(second.events.filter(({ type }) => type === 'mcp_status')).toEqual([])
    expect(product.model.requests.at(-1)?.body['tools']).toHaveLength(2)
  })

  it('works with the demo model from the first message of a newcomer on', async () => {
    const demo = await startDemoModel({ pace: 0 })
    const eve = await product.join('Newcomer')
    await eve.post('/api/bot', { name: 'Demo', model: 'demo', base_url: demo.baseUrl })
    const ask = async () => {
      const chatId = await eve.newChat()
      const content = 'use the calculator to add 2 and 3'
      const stream = await eve.send(chatId, content, { botName: 'Demo' })
      await stream.ended
      return { ...waitingCall(chatId, stream), botName: 'Demo' }
    }
    const confirmed = await eve.confirm(await ask())
    await confirmed.ended
    expect(resultOf(confirmed)?.content).toBe('5')
    expect(confirmed.text).toContain('5')
    expect(confirmed.text).not.toContain('marks')
    const { chatId = '', messageId } = await ask()
    const denied = await eve.send(chatId, 'cancel', { botName: 'Demo', parentId: messageId })
    await denied.ended
    expect(denied.text).toContain('did not allow')
    await demo.close()
  })
})
