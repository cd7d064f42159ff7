import type { StepDecisionRequest, ToolConfirmRequest } from '@yonder/contract/completion'
import { callExpiryMs } from '@yonder/contract/lib/call-limits'
import type { Message } from '@yonder/contract/message'
import type { ToolCall } from '@yonder/contract/tool-call'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { requireBot } from '../../bots/bot-store.ts'
import { findMessage } from '../../chats/message-store.ts'
import type { ChatClient } from '../../testing/chat/open-chat-app.ts'
import { callOf, openToolApp, waitingCall, type ToolApp } from '../../testing/chat/open-tool-app.ts'
import { hashTables } from '../../testing/database/hash-tables.ts'
import { engines } from '../../testing/database/test-database.ts'
import { statusAndBody } from '../../testing/send-request.ts'
import { expireCalls } from '../maintenance/expire-calls.ts'
import { confirmCall } from './confirm-call.ts'
import { decideStep } from './decide-step.ts'
import { sendMessage } from './send-message.ts'

const phone = {
  'user-agent': 'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36',
}
const refusal = (status: number, message: string) => ({
  status,
  body: { error: { message: expect.stringContaining(message) as string } },
})

describe.each(engines)('what users decide about calls, on %s', (engine) => {
  let product: ToolApp
  let ada: ChatClient
  let eve: ChatClient
  let shift = 0
  beforeAll(async () => {
    product = await openToolApp({ engine, deps: { now: () => Date.now() + shift } })
    ada = await product.join('Ada')
    eve = await product.join('Eve')
    await product.connect(ada, 'polite')
  })
  afterAll(() => product.close())
  beforeEach(() => {
    shift = 0
  })

  async function request(...calls: readonly object[]) {
    product.model.reply(calls.map((args, index) => callOf('polite', 'act', args, `call0000${index}`)))
    const chatId = await ada.newChat()
    const stream = await ada.send(chatId, 'Do it')
    await stream.ended
    return { chatId, call: waitingCall(chatId, stream), messageId: stream.run.messages.at(-1)?.id ?? '' }
  }

  const readMessage = async (chatId: string, id: string): Promise<Message> => {
    const found = (await ada.readChat(chatId)).messages.find((message) => message.id === id)
    if (found === undefined) throw new Error(`there is no message ${id}`)
    return found
  }
  const results = async (chatId: string) =>
    (await ada.readChat(chatId)).messages.flatMap(({ outcome, content }) => (outcome ? [content] : []))
  /** The arguments of every call that the server has received. */
  const received = async () =>
    (await product.mcpServer.seen('polite'))
      .filter(({ rpc }) => rpc === 'tools/call')
      .map(({ body }) => (JSON.parse(body) as { params: { arguments: object } }).params.arguments)
  const lastPrompt = () => JSON.stringify(product.model.requests.at(-1)?.body.messages)
  const decide = (body: StepDecisionRequest) => ada.put('/api/tool/step-decision', body, phone)
  const decisions = () =>
    product.database.db
      .selectFrom('tool_calls')
      .select(['approval', 'outcome', 'decided_on', 'edited'])
      .where('user_id', '=', ada.user.id)
      .orderBy('started_at')
      .orderBy('id')
      .execute()

  async function confirm(call: ToolConfirmRequest, more: Partial<ToolConfirmRequest> = {}, text = 'Done.') {
    if (text !== '') product.model.reply([text])
    const stream = await ada.stream('/api/tool/confirm', { ...call, ...more }, phone)
    await stream.ended
    return stream
  }

  /** Expects a refusal after which nothing is different, no tool was called and no model asked. */
  async function expectRefused(
    send: () => Promise<Parameters<typeof statusAndBody>[0]>,
    expected: ReturnType<typeof refusal>,
  ) {
    const [before, calls] = [await hashTables(product.database), await product.countCalls('polite')]
    const requests = product.model.requests.length
    expect(statusAndBody(await send())).toMatchObject(expected)
    expect(await hashTables(product.database)).toEqual(before)
    expect(await product.countCalls('polite')).toBe(calls)
    expect(product.model.requests.length).toBe(requests)
  }

  describe('changed arguments', () => {
    it('are sent in place of the proposed ones, kept beside them, and told to the model', async () => {
      const { chatId, call, messageId } = await request({ to: 'all', n: 1 })
      const stream = await confirm(call, { edited: '{ "to": "me", "n": 12345678901234567890 }' })
      expect((await received()).at(-1)).toMatchObject({ to: 'me' })
      const message = await readMessage(chatId, messageId)
      expect(message).toMatchObject({
        arguments: '{"to":"all","n":1}',
        call: {
          state: 'answered',
          edited: '{"to":"me","n":12345678901234567890}',
          decision: { kind: 'once', on: 'Chrome on Android', at: expect.any(Number) as number },
        },
      })
      expect((await ada.readChat(chatId)).messages).toEqual(stream.run.messages)
      expect(await results(chatId)).toEqual(['done'])
      expect(product.model.requests.at(-1)?.body.messages?.at(-1)).toMatchObject({
        role: 'tool',
        content: expect.stringMatching(
          /^The user changed the arguments before allowing this call\. It was made with: \{"to":"me","n":12345678901234567890\}\nThe result/,
        ) as string,
      })
      expect((await decisions()).at(-1)).toMatchObject({ approval: 'once', outcome: 'done' })
    })

    it('that are the proposed ones in another order are no change', async () => {
      const { chatId, call, messageId } = await request({ a: 1, b: [2] })
      await confirm(call, { edited: { b: [2], a: 1 } })
      expect((await readMessage(chatId, messageId)).call).not.toHaveProperty('edited')
      expect(lastPrompt()).not.toContain('changed the arguments')
    })

    it('may keep an invisible character that the model proposed, or move it', async () => {
      const { chatId, call, messageId } = await request({ a: 'x\u200by', family: '👩‍👧' })
      await confirm(call, { edited: { a: 'xy', b: 'line\n\ttab \u200b', family: '👨‍👩‍👧' } })
      expect((await readMessage(chatId, messageId)).call).toHaveProperty('edited')
    })

    it.each([
      ['no JSON', '{"a":', 'must be valid JSON'],
      ['no object', '[1]', 'must be a JSON object'],
      ['a repeated key', '{"a":1,"a":2}', 'the key "a" more than once'],
      ['too deep', `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`, 'nested at most 32 levels'],
      ['too long', JSON.stringify({ a: 'x'.repeat(300_000) }), 'more than 300,000 characters'],
      ['a hidden character in a text', { a: ['x', { b: 'in\u200bvisible' }] }, '(U+200B), in "a[1].b"'],
      ['a hidden character in a key', { 'a\u202e': 1 }, '(U+202E), in "a"'],
      ['a control character', '{"a":"\\u0007"}', '(U+0007), in "a"'],
      ['one more of a hidden character', { a: '\u2060\u2060' }, '(U+2060), in "a"'],
    ])('are refused when they are %s', async (_what, edited, message) => {
      const { call } = await request({ a: '\u2060' })
      await expectRefused(() => ada.post('/api/tool/confirm', { ...call, edited }), refusal(400, message))
    })

    it('of 1 MB are refused', async () => {
      const { call } = await request({})
      const edited = { a: 'x'.repeat(1_100_000) }
      await expectRefused(() => ada.post('/api/tool/confirm', { ...call, edited }), refusal(413, ''))
    })

    it('that the tool does not accept are refused by the name of the place', async () => {
      await ada.put('/api/mcp-server/default', { name: 'default', url: 'builtin://default', allow_tools: [] })
      product.model.reply([callOf('default', 'calculate', { expression: '1 + 1' })])
      const chatId = await ada.newChat()
      const stream = await ada.send(chatId, 'Add')
      await stream.ended
      const call = waitingCall(chatId, stream)
      await expectRefused(
        () => ada.post('/api/tool/confirm', { ...call, edited: { expression: 7 } }),
        refusal(400, '"expression"'),
      )
      await confirm(call, { edited: { expression: '2 + 3' } })
      expect(await results(chatId)).toEqual(['5'])
    })
  })

  describe('a call', () => {
    it('is decided once, and who comes second is told what was decided first', async () => {
      const { chatId, call, messageId } = await request({})
      product.model.reply(['Done.'])
      const streams = await Promise.all(
        Array.from({ length: 4 }, () => ada.stream('/api/tool/confirm', call, phone)),
      )
      await Promise.all(streams.map((stream) => stream.ended))
      const before = await product.countCalls('polite')
      expect(streams.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409, 409, 409])
      const message = expect.stringMatching(
        /^This call was already allowed at \d{4}-\d\d-\d\d \d\d:\d\d UTC on Chrome on Android\./,
      ) as string
      expect(statusAndBody(await ada.post('/api/tool/confirm', call))).toMatchObject({
        status: 409,
        body: { error: { message } },
      })
      const late = { chatId, content: 'no', parentId: messageId, denyOne: true, botName: 'Helper' }
      expect(statusAndBody(await ada.post('/api/chat/completions', late))).toMatchObject({
        status: 409,
        body: { error: { message } },
      })
      expect(await product.countCalls('polite')).toBe(before)
    })

    it('of a connector that was deleted is recorded by its name when it is denied', async () => {
      await product.connect(ada, 'polite', { name: 'gone' })
      product.model.reply([callOf('gone', 'act', {}, 'call00001'), callOf('gone', 'act', {}, 'call00002')])
      const chatId = await ada.newChat()
      const stream = await ada.send(chatId, 'Do it')
      await stream.ended
      expect((await ada.delete('/api/mcp-server/gone')).statusCode).toBe(204)
      const parentId = stream.run.messages.at(-1)?.id
      product.model.reply(['As you wish.'])
      const body = { chatId, content: 'cancel', parentId, botName: 'Helper' }
      await (
        await ada.stream('/api/chat/completions', body, phone)
      ).ended
      const decided = await ada.get('/api/tool-calls?limit=2')
      const record = { connector: 'gone', tool: 'act', approval: 'denied', decided_on: 'Chrome on Android' }
      expect(decided.json()).toMatchObject({ calls: [record, record] })
    })

    it('that was always allowed says so', async () => {
      const { chatId, call, messageId } = await request({})
      const { fingerprint = '', credential = '' } = (await readMessage(chatId, messageId)).call ?? {}
      const tools = [{ name: 'act', permission: 'allow', fingerprint }]
      const allowed = await ada.patch('/api/mcp-server/polite', { tools, credential })
      expect(allowed.statusCode).toBe(200)
      await confirm(call)
      expect((await readMessage(chatId, messageId)).call?.decision).toMatchObject({
        kind: 'listed',
        on: 'Chrome on Android',
      })
      await ada.patch('/api/mcp-server/polite', { tools: [{ name: 'act', permission: 'ask' }] })
    })
  })

  describe('a reason for a denial', () => {
    it('is the result of the only call of a step, and no message of its own for the model', async () => {
      const { chatId, messageId } = await request({ repository: 'b' })
      product.model.reply(['Then in a.'])
      const answer = await ada.stream(
        '/api/chat/completions',
        { chatId, content: 'Use a', parentId: messageId, denyOne: true, botName: 'Helper' },
        phone,
      )
      await answer.ended
      expect(answer.text).toBe('Then in a.')
      expect(product.model.requests.at(-1)?.body.messages).toMatchObject([
        { role: 'user', content: 'Do it' },
        { role: 'assistant' },
        { role: 'tool', content: 'This call was denied by the user, who wrote: Use a' },
      ])
      const { call } = await readMessage(chatId, messageId)
      expect(call).toMatchObject({
        state: 'denied',
        denied_by: answer.run.messages[0]?.id,
        decision: { kind: 'denied', reason: 'Use a', on: 'Chrome on Android' },
      })
      expect((await decisions()).at(-1)).toMatchObject({
        approval: 'denied',
        decided_on: 'Chrome on Android',
      })
    })

    it('has at most 2,000 characters', async () => {
      const { chatId, messageId } = await request({})
      const body = { chatId, parentId: messageId, denyOne: true, botName: 'Helper' }
      await expectRefused(
        () => ada.post('/api/chat/completions', { ...body, content: 'x'.repeat(2_001) }),
        refusal(400, 'at most 2,000 characters'),
      )
    })
  })

  describe('the later calls of a step', () => {
    const stepOf = ({ step = [] }: ToolCall) => step.map(({ id, asks, decided }) => ({ id, asks, decided }))

    it('are listed, decided in any order, and carried out in theirs', async () => {
      const { chatId, call, messageId } = await request({ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }, { n: 4 })
      const shown = (await readMessage(chatId, messageId)).call
      expect(shown?.step).toMatchObject(
        [1, 2, 3, 4].map((n) => ({ id: `call0000${n}`, asks: true, tool: 'act' })),
      )
      const at = { chatId, messageId }
      const from = (await received()).length
      for (const body of [
        { ...at, callId: 'call00003', allow: true },
        { ...at, callId: 'call00002', allow: false, reason: 'Not two' },
        { ...at, callId: 'call00004', allow: true },
        { ...at, callId: 'call00004', allow: null },
        { ...at, callId: 'call00001', allow: true, edited: { n: 10 } },
      ])
        expect(statusAndBody(await decide(body))).toMatchObject({ status: 200 })
      const decided = (await readMessage(chatId, messageId)).call
      if (decided === undefined) throw new Error('there is no call')
      expect(stepOf(decided)).toMatchObject([
        { decided: { allow: true, edited: '{"n":10}' } },
        { decided: { allow: false, reason: 'Not two' } },
        { decided: { allow: true } },
        { decided: undefined },
      ])
      const stream = await confirm(call, {}, '')
      expect((await received()).slice(from)).toEqual([{ n: 0 }, { n: 10 }, { n: 3 }])
      const last = stream.run.messages.at(-1)
      expect(last?.call).toMatchObject({ state: 'waiting', place: { index: 5, total: 5 } })
      const { messages } = await ada.readChat(chatId)
      expect(messages.slice(1)).toEqual(stream.run.messages.slice(1))
      await confirm(waitingCall(chatId, stream))
      const prompt = product.model.requests.at(-1)?.body.messages?.slice(2)
      expect(prompt).toMatchObject([
        { content: expect.stringMatching(/^The result/) as string },
        { content: expect.stringMatching(/^The user changed .*\{"n":10\}\nThe result/) as string },
        { content: 'This call was denied by the user, who wrote: Not two' },
        { content: expect.stringMatching(/^The result/) as string },
        { content: expect.stringMatching(/^The result/) as string },
      ])
      expect((await decisions()).slice(-5).map(({ approval }) => approval)).toEqual([
        'once',
        'once',
        'denied',
        'once',
        'once',
      ])
    })

    it('are not recorded when the model has made up their tool', async () => {
      product.model.reply([callOf('polite', 'act', {}, 'call00001'), callOf('none', 'act', {}, 'call00002')])
      const chatId = await ada.newChat()
      const stream = await ada.send(chatId, 'Do it')
      await stream.ended
      const messageId = stream.run.messages.at(-1)?.id ?? ''
      await decide({ chatId, messageId, callId: 'call00002', allow: false })
      const before = (await decisions()).length
      await confirm(waitingCall(chatId, stream))
      expect((await decisions()).slice(before)).toMatchObject([{ approval: 'once' }])
    })

    it('go on after the first one was denied alone', async () => {
      const { chatId, messageId } = await request({ n: 'first' }, { n: 'second' })
      await decide({ chatId, messageId, callId: 'call00001', allow: true })
      product.model.reply(['One of two.'])
      const answer = await ada.send(chatId, 'cancel', { parentId: messageId, denyOne: true })
      await answer.ended
      expect(answer.text).toBe('One of two.')
      expect((await received()).at(-1)).toEqual({ n: 'second' })
    })

    it('ask again when the reply after an earlier call is regenerated', async () => {
      const { chatId, call, messageId } = await request({ n: 'a' }, { n: 'b' }, { n: 'c' })
      const at = { chatId, messageId, allow: true }
      await decide({ ...at, callId: 'call00001' })
      await decide({ ...at, callId: 'call00002' })
      const stream = await confirm(call)
      const from = (await received()).length
      const [result] = stream.run.messages.filter(({ outcome }) => outcome !== undefined)
      const body = { chatId, botName: 'Helper', userMessageId: result?.id ?? '' }
      const again = await ada.stream('/api/chat/completions', body)
      await again.ended
      const asked = again.run.messages.at(-1)?.call
      expect(asked).toMatchObject({ state: 'waiting', place: { index: 2, total: 3 } })
      expect(asked?.step).toMatchObject([{ id: 'call00002', asks: true }])
      expect(asked?.step?.[0]).not.toHaveProperty('decided')
      expect((await received()).slice(from)).toEqual([])
    })

    it('ask again when the reply to a denial of the first one is regenerated', async () => {
      const { chatId, messageId } = await request({ n: 'd' }, { n: 'e' })
      await decide({ chatId, messageId, callId: 'call00001', allow: true })
      product.model.reply(['One of two.'])
      const answer = await ada.send(chatId, 'cancel', { parentId: messageId, denyOne: true })
      await answer.ended
      const from = (await received()).length
      const denial = answer.run.messages[0]?.id ?? ''
      const again = await ada.stream('/api/chat/completions', {
        chatId,
        botName: 'Helper',
        userMessageId: denial,
      })
      await again.ended
      expect(again.run.messages.at(-1)?.call).toMatchObject({ state: 'waiting' })
      expect((await received()).slice(from)).toEqual([])
    })

    it('ask again when the reply was stopped before their turn', async () => {
      const { chatId, call, messageId } = await request({ n: 'f' }, { n: 'g' })
      await decide({ chatId, messageId, callId: 'call00001', allow: true })
      const stream = await confirm(call)
      const from = (await received()).length
      const result = stream.run.messages.find(({ outcome }) => outcome !== undefined)?.id ?? ''
      // As after a stop during the first call: nothing follows its result.
      await product.database.db
        .deleteFrom('messages')
        .where('chat_id', '=', chatId)
        .where('unix_timestamp', '>', (await readMessage(chatId, result)).unix_timestamp)
        .execute()
      await product.database.db
        .updateTable('chats')
        .set({ selected_message_id: result })
        .where('id', '=', chatId)
        .execute()
      shift = 3 * callExpiryMs
      const body = { chatId, botName: 'Helper', server: 'polite', content: '' }
      const again = await ada.stream('/api/chat/completions', body)
      await again.ended
      expect(again.run.messages.at(-1)?.call).toMatchObject({ state: 'waiting' })
      expect((await received()).slice(from)).toEqual([])
    })

    it('are all denied by a message, whatever was decided about them', async () => {
      const { chatId, call, messageId } = await request({}, {})
      await decide({ chatId, messageId, callId: 'call00001', allow: true })
      const [calls, records] = [await product.countCalls('polite'), (await decisions()).length]
      product.model.reply(['Neither.'])
      const answer = await ada.send(chatId, 'cancel', { parentId: messageId })
      await answer.ended
      expect(await product.countCalls('polite')).toBe(calls)
      expect((await decisions()).slice(records).map(({ approval }) => approval)).toEqual(['denied', 'denied'])
      await expectRefused(
        () => decide({ chatId, messageId, callId: 'call00001', allow: true }),
        refusal(409, 'already denied'),
      )
      await expectRefused(() => ada.post('/api/tool/confirm', call), refusal(409, 'already denied'))
    })

    it.each<[string, Partial<StepDecisionRequest>, number, string]>([
      ['a call that is not in the step', { callId: 'call00009' }, 409, 'cannot be decided'],
      ['the waiting call', { callId: 'call00000' }, 409, 'cannot be decided'],
      ['another message', { messageId: 'never' }, 404, 'no such message'],
      ['bad arguments', { edited: '{' }, 400, 'valid JSON'],
      ['hidden characters', { edited: { a: '\u200b' } }, 400, 'U+200B'],
      ['changed arguments of a denied call', { allow: false, edited: {} }, 400, 'call that is allowed'],
      ['a reason for allowing it', { reason: 'because' }, 400, 'Only a denial'],
    ])('are not changed by %s', async (_what, change, status, message) => {
      const { chatId, messageId } = await request({}, {})
      const body = { chatId, messageId, callId: 'call00001', allow: true, ...change }
      await expectRefused(() => decide(body), refusal(status, message))
    })

    it('are not decided by another user', async () => {
      const { chatId, messageId } = await request({}, {})
      const body = { chatId, messageId, callId: 'call00001', allow: true }
      await expectRefused(() => eve.put('/api/tool/step-decision', body), refusal(404, ''))
    })

    it('are not called when their server has changed the tool since the user saw it', async () => {
      await product.connect(ada, 'rug-pull')
      product.model.reply([
        callOf('rug-pull', 'send', {}, 'call00000'),
        callOf('rug-pull', 'send', {}, 'call00001'),
      ])
      const chatId = await ada.newChat()
      const stream = await ada.send(chatId, 'Send')
      await stream.ended
      const call = waitingCall(chatId, stream)
      expect((await readMessage(chatId, call.messageId ?? '')).call).toMatchObject({
        effect: 'destructive',
        step: [{ effect: 'destructive' }],
      })
      await decide({ chatId, messageId: call.messageId ?? '', callId: 'call00001', allow: true })
      await product.mcpServer.nextPhase('rug-pull')
      // The list of tools is then too old to be relied upon.
      shift = 60_000
      await confirm(call)
      const changed = expect.stringContaining('has changed') as string
      expect(await results(chatId)).toEqual([changed, changed])
      expect(await product.countCalls('rug-pull')).toBe(0)
    })
  })

  describe('a call that nobody decides', () => {
    // Not the clock of the app, which would store the expiry by itself at any moment.
    const later = () => Date.now() + callExpiryMs + 60_000
    const deps = (now: () => number) => {
      const { database, nodeId } = product.deps
      return { database, nodeId, now, connectors: {} as never }
    }
    const sweep = async (now: () => number) => {
      const changed: string[] = []
      await expireCalls({
        database: product.database,
        connectors: { recordDenial: () => Promise.resolve() } as never,
        now,
        onError: (error) => {
          throw error
        },
        onChatChanged: (_userId, chatId) => changed.push(chatId),
      })
      return changed
    }

    it('can be decided until its time is over, and not after, also before the expiry is stored', async () => {
      const { chatId, call, messageId } = await request({}, {})
      const { db } = product.database
      const [row, bot] = [await findMessage(db, chatId, messageId), await requireBot(db, ada.user, 'Helper')]
      if (row === undefined) throw new Error('there is no call')
      const source = { on: 'Chrome on Android', signal: new AbortController().signal }
      const before = await hashTables(product.database)
      const deny = { chatId, parentId: messageId, botName: 'Helper' }
      const decideLate = { chatId, messageId, callId: 'call00001', allow: true }
      for (const decided of [
        () => confirmCall(deps(later), ada.user, row, { bot, edited: undefined, ...source }),
        () => decideStep(deps(later), ada.user, decideLate, source),
        () => sendMessage(deps(later), ada.user, bot, { ...deny, content: 'cancel' }),
        () => sendMessage(deps(later), ada.user, bot, { ...deny, content: 'No', denyOne: true }),
      ])
        await expect(decided()).rejects.toMatchObject({
          code: 'conflict',
          message: expect.stringContaining('not decided within 24 hours') as string,
        })
      expect(await hashTables(product.database)).toEqual(before)
      // The clock was set back before the expiry was stored.
      expect(await sweep(Date.now)).not.toContain(chatId)
      await confirm(call, {}, '')
    })

    it('expires with its step, and the model is told', async () => {
      const { chatId, call, messageId } = await request({}, {})
      expect(await sweep(later)).toContain(chatId)
      expect(await sweep(later)).not.toContain(chatId)
      expect((await readMessage(chatId, messageId)).call).toMatchObject({
        state: 'denied',
        decision: { kind: 'expired' },
      })
      await expectRefused(
        () => ada.post('/api/tool/confirm', call),
        refusal(409, 'not decided within 24 hours'),
      )
      product.model.reply(['Hello again.'])
      const answer = await ada.send(chatId, 'Hello', { parentId: messageId })
      await answer.ended
      const text = 'This call was not decided within 24 hours, so it was not made.'
      expect(product.model.requests.at(-1)?.body.messages?.slice(2)).toMatchObject([
        { role: 'tool', content: text },
        { role: 'tool', content: text },
        { role: 'assistant' },
        { role: 'user', content: 'Hello' },
      ])
    })

    it('does not keep a message from being sent before its expiry is stored', async () => {
      const { chatId, messageId } = await request({})
      shift = callExpiryMs + 60_000
      product.model.reply(['Hello again.'])
      const answer = await ada.send(chatId, 'Hello', { parentId: messageId })
      await answer.ended
      expect(answer.text).toBe('Hello again.')
      expect((await readMessage(chatId, messageId)).call?.decision?.kind).toBe('expired')
      expect((await decisions()).at(-1)).toMatchObject({ approval: 'expired', decided_on: null })
    })
  })
})
