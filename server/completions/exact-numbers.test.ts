import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ExactNumber } from '@yonder/contract/lib/exact-json'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openChatApp, type ChatApp, type ChatClient } from '../testing/chat/open-chat-app.ts'
import { waitingCall } from '../testing/chat/open-tool-app.ts'
import { wireShapes } from '../testing/models/wire-shapes.ts'
import { sendRequest, statusAndBody } from '../testing/send-request.ts'

const big = '1234567890123456789'
const written = `{"id":${big},"rate":0.1000000000000000055511151231257827,"far":[1e400,-0],"plain":1.5}`
const schema = `{"type":"object","properties":{"id":{"type":"integer","maximum":18446744073709551615}}}`
const result = `{"id":${big},"ratio":3.14159265358979323846}`
const usage = { input: 5, output: 7 }
const { openai, anthropic, google, 'openai-responses': responses } = wireShapes

/** How upstreams send a call of the tool with these arguments. */
const forms = {
  'openai with text': ['openai', openai.toolCall('c1', 'exact__act', '{args}')],
  'openai with an object': [
    'openai',
    'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"exact__act","arguments":{args}}}]}}]}\n\n',
  ],
  'openai-responses': ['openai-responses', responses.toolCall('c1', 'exact__act', '{args}')],
  'anthropic in pieces': ['anthropic', anthropic.toolCall('c1', 'exact__act', '{args}')],
  'anthropic at once': [
    'anthropic',
    'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c1","name":"exact__act","input":{args}}}\n\n' +
      'data: {"type":"content_block_stop","index":0}\n\n',
  ],
  google: ['google', google.toolCall('c1', 'exact__act', '{args}')],
} as const
const names = Object.keys(forms) as (keyof typeof forms)[]

/** The events with the arguments in place of their mark: within a JSON text, or as JSON. */
function fill(events: string, text: string): string {
  const [first, rest] = ['{args}'.slice(0, 3), '{args}'.slice(3)]
  const inText = (piece: string) => JSON.stringify(piece).slice(1, -1)
  return events
    .replace(`"${first}"`, `"${inText(text.slice(0, 3))}"`)
    .replace(`"${rest}"`, `"${inText(text.slice(3))}"`)
    .replace('"{args}"', JSON.stringify(text))
    .replace('{args}', text)
}

describe('a number that a double cannot hold', () => {
  let product: ChatApp
  let ada: ChatClient
  let origin: string
  /** The bodies of the requests to the models and of the calls of the tool. */
  const prompts: string[] = []
  const calls: string[] = []
  const replies: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      if (request.url !== '/mcp') {
        // The list of models, which is optional.
        if (request.method !== 'POST') return void response.writeHead(404).end()
        prompts.push(body)
        return void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(replies.shift())
      }
      if (request.method !== 'POST') return void response.writeHead(405).end()
      const { id, method } = JSON.parse(body) as { id?: number; method: string }
      if (id === undefined) return void response.writeHead(202).end()
      if (method === 'tools/call') calls.push(body)
      const answers: Record<string, string> = {
        initialize: `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"exact","version":"1"}}`,
        'tools/list': `"result":{"tools":[{"name":"act","inputSchema":${schema}}]}`,
        'tools/call': `"result":{"content":[],"structuredContent":${result}}`,
      }
      const answer = answers[method] ?? '"error":{"code":-32601,"message":"Unknown"}'
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(`{"jsonrpc":"2.0","id":${id},${answer}}`)
    })
  })

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    product = await openChatApp()
    ada = await product.join()
    for (const [name, [api_type]] of Object.entries(forms))
      await ada.post('/api/bot', {
        name,
        model: 'm',
        api_type,
        base_url: `${origin}/v1`,
        api_key: 'sk-0123456789',
      })
    await ada.post('/api/mcp-server', { name: 'exact', url: `${origin}/mcp`, allow_tools: [] })
    expect((await ada.post('/api/mcp-server/exact/connect')).statusCode).toBe(200)
  })
  beforeEach(() => {
    for (const list of [prompts, calls, replies]) list.length = 0
  })
  afterAll(async () => {
    await product.close()
    server.closeAllConnections()
    server.close()
  })

  const answerWith = (name: keyof typeof forms, text: string) => {
    const shape = wireShapes[forms[name][0]]
    replies.push([shape.start('m'), shape.text(text), shape.finish('stop', usage)].join(''))
  }
  async function request(name: keyof typeof forms, args: string) {
    const [apiType, events] = forms[name]
    const shape = wireShapes[apiType]
    replies.push([shape.start('m'), fill(events, args), shape.finish('tool_calls', usage)].join(''))
    const chatId = await ada.newChat()
    const stream = await ada.complete({ botName: name, chatId, content: 'Do it' })
    await stream.ended
    return { chatId, stream }
  }

  it.each(names)('is shown, compared, sent and returned as it was written (%s)', async (name) => {
    const { chatId, stream } = await request(name, written)
    expect(prompts[0]).toContain('18446744073709551615')
    const call = { ...waitingCall(chatId, stream), botName: name }
    expect(call.args).toBe(written)

    const withId = (id: string) => ({
      id: new ExactNumber(id),
      rate: new ExactNumber('0.1000000000000000055511151231257827'),
      far: [new ExactNumber('1e400'), new ExactNumber('-0')],
      plain: 1.5,
    })
    for (const args of [withId('1234567890123456788'), JSON.parse(written) as object]) {
      const refused = await ada.post('/api/tool/confirm', { ...call, args })
      expect(refused.statusCode).toBe(409)
      expect(refused.body).toContain('but with other arguments')
    }
    expect(calls).toEqual([])
    expect((await ada.readChat(chatId)).messages).toEqual(stream.run.messages)

    answerWith(name, 'Done.')
    const confirmed = await ada.confirm({ ...call, args: withId(big) })
    await confirmed.ended
    expect(calls.map((body) => /"arguments":(\{.*?\})/.exec(body)?.[1])).toEqual([written])
    const shown = JSON.stringify(confirmed.run.messages)
    for (const text of [shown, prompts[1] ?? '']) {
      expect(text).toContain('3.14159265358979323846')
      expect(text.split(big).length).toBeGreaterThan(2)
    }
    // The history has the call as the model made it.
    for (const digits of [big, '0.1000000000000000055511151231257827', '1e400', '-0'])
      expect(prompts[1]).toContain(digits)
  })

  it.each(names)('is not asked about with a repeated key, which the model may correct (%s)', async (name) => {
    const shape = wireShapes[forms[name][0]]
    const [, events] = forms[name]
    const callOf = (args: string) =>
      [shape.start('m'), fill(events, args), shape.finish('tool_calls', usage)].join('')
    replies.push(callOf('{"id":1,"in":{"id":1,"\\u0069d":2}}'), callOf('{"id":2}'))
    const chatId = await ada.newChat()
    const stream = await ada.complete({ botName: name, chatId, content: 'Do it' })
    await stream.ended
    const [, first, refusal, second] = stream.run.messages
    expect(first).toMatchObject({ call: { state: 'answered' } })
    expect(refusal).toMatchObject({
      outcome: {
        status: 'failed',
        parts: [{ text: 'The tool was not called. The arguments have the key "id" in "in" more than once.' }],
      },
    })
    expect(second).toMatchObject({ call: { state: 'waiting' }, arguments: '{"id":2}' })
    expect(prompts[1]).toContain('more than once. Correct the arguments')
    expect(calls).toEqual([])
  })

  it('is not confirmed by a body with a repeated key', async () => {
    const { chatId, stream } = await request('openai with text', '{"id":2}')
    const { args: _, ...call } = waitingCall(chatId, stream)
    const response = await sendRequest({
      method: 'POST',
      url: `${product.base}/api/tool/confirm`,
      headers: ada.headers,
      body: `${JSON.stringify(call).slice(0, -1)},"args":{"id":1,"id":2}}`,
    })
    expect(statusAndBody(response)).toMatchObject({
      status: 400,
      body: { error: { message: 'The body has the key "id" in "args" more than once. Send it once.' } },
    })
    expect((await ada.readChat(chatId)).messages.at(-1)?.call?.state).toBe('waiting')
    expect(calls).toEqual([])
  })
})
