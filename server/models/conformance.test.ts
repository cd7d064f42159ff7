import { apiTypes, type ApiType } from '@yonder/contract/bot'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { assistantMessage, resultsMessage } from '../testing/models/messages.ts'
import { openModelScene, sceneKey, type ModelScene } from '../testing/models/open-model-scene.ts'
import { findWireShape, wireShapes } from '../testing/models/wire-shapes.ts'
import { userMessage, type ModelMessage } from './model.ts'

const usage = { input: 5, output: 7 }

/** Instructions, temperature, top-p and reasoning effort in each format. */
const optionsOnWire: Readonly<Record<ApiType, readonly string[]>> = {
  openai: [
    '{"role":"system","content":"Write in verse."}',
    '"temperature":0.25',
    '"top_p":0.75',
    '"reasoning_effort":"low"',
  ],
  'openai-responses': [
    '"instructions":"Write in verse."',
    '"temperature":0.25',
    '"top_p":0.75',
    '"reasoning":{"effort":"low","summary":"auto"}',
  ],
  anthropic: [
    '"system":[{"type":"text","text":"Write in verse."',
    '"temperature":0.25',
    '"top_p":0.75',
    '"thinking":{"type":"enabled","budget_tokens":4096}',
  ],
  google: [
    '"systemInstruction":{"parts":[{"text":"Write in verse."}]}',
    '"temperature":0.25',
    '"topP":0.75',
    '"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"low"}',
  ],
}
let scene: ModelScene

beforeAll(async () => {
  scene = await openModelScene()
})
afterEach(() => scene.closeServers())
afterAll(() => scene.close())

describe.each(apiTypes)('%s', (apiType) => {
  const shape = wireShapes[apiType]

  it('yields model, reasoning, text, usage and finish in order', async () => {
    const { url } = await scene.serve(() => [
      shape.start('wire-model'),
      shape.reasoning('Let me see.'),
      shape.text('Hello'),
      shape.text(' world'),
      shape.finish('stop', usage),
    ])
    const { parts, text, reasoning } = await scene.callModel(apiType, url)
    expect(reasoning).toBe('Let me see.')
    expect(text).toBe('Hello world')
    expect(parts.slice(-2)).toEqual([
      { type: 'usage', input_tokens: 5, output_tokens: 7 },
      { type: 'finish', reason: 'stop' },
    ])
    const order = parts.map((part) => part.type).filter((type, at, all) => type !== all[at - 1])
    const named = apiType === 'google' ? [] : ['model']
    expect(order).toEqual([...named, 'reasoning', 'text', 'usage', 'finish'])
  })

  it('sends the conversation once, with its tools, its limit and its key', async () => {
    const { url, seen } = await scene.serve(() => [
      shape.start('m'),
      shape.text('ok'),
      shape.finish('stop', usage),
    ])
    await scene.callModel(apiType, url, {
      request: {
        maxTokens: 321,
        tools: [
          {
            name: 'clock',
            description: 'Tells the time',
            inputSchema: { type: 'object', properties: { zone: { type: 'string' } } },
          },
        ],
        messages: [
          userMessage('What time is it?'),
          assistantMessage('', [{ id: 'c1', name: 'clock', arguments: '{"zone":"UTC"}' }]),
          resultsMessage({ callId: 'c1', name: 'clock', text: 'noon' }),
        ],
      },
    })
    expect(seen).toHaveLength(1)
    const [request] = seen
    const sent = JSON.stringify(request?.body)
    for (const text of ['What time is it?', 'clock', 'Tells the time', 'zone', 'UTC', 'noon', '321'])
      expect(sent).toContain(text)
    expect(sent.split('What time is it?')).toHaveLength(2)
    expect(
      Object.values(request?.headers ?? {}).filter((value) => String(value).includes(sceneKey)),
    ).toHaveLength(1)
    expect(request?.headers['accept-encoding']).toBe('identity')
    expect(findWireShape(request?.url ?? '')?.apiType).toBe(apiType)
  })

  it('sends what it cannot send of a file as text, and nothing else of it', async () => {
    const { url, seen } = await scene.serve(() => [
      shape.start('m'),
      shape.text('ok'),
      shape.finish('stop', usage),
    ])
    const file = { id: 'id-of-the-file', name: 'cat.png', type: 'image/png', size: 3 }
    const part = { type: 'file', file } as const
    const messages: readonly ModelMessage[] = [
      { role: 'user', parts: [{ type: 'text', text: 'Look' }, part] },
      { role: 'assistant', parts: [part, { type: 'call', id: 'c1', name: 'clock', arguments: '{}' }] },
      resultsMessage({ callId: 'c1', name: 'clock', text: 'noon' }),
      { role: 'user', parts: [part] },
    ]
    await scene.callModel(apiType, url, { request: { messages } })
    const sent = JSON.stringify(seen[0]?.body)
    expect(sent.split('cat.png')).toHaveLength(4)
    expect(sent).toContain(String.raw`Look\n\n[The file \"cat.png\" (image/png, 3 bytes)`)
    expect(sent).not.toContain(file.id)
  })

  it('yields cached and reasoning tokens as parts of the totals', async () => {
    const counts = { input: 100, output: 50, cached: 80, reasoning: 30 }
    const { url } = await scene.serve(() => [
      shape.start('m'),
      shape.text('ok'),
      shape.finish('stop', counts),
    ])
    expect((await scene.callModel(apiType, url)).parts).toContainEqual({
      type: 'usage',
      input_tokens: 100,
      output_tokens: 50,
      cached_tokens: 80,
      reasoning_tokens: 30,
    })
  })

  it('sends instructions and options as its provider expects them, and only when they are set', async () => {
    const { url, seen } = await scene.serve(() => [
      shape.start('m'),
      shape.text('ok'),
      shape.finish('stop', usage),
    ])
    const instructions = 'Write in verse.'
    await scene.callModel(apiType, url)
    await scene.callModel(apiType, url, {
      request: { instructions, options: { temperature: 0.25, topP: 0.75 } },
    })
    await scene.callModel(apiType, url, { request: { options: { reasoningEffort: 'low' } } })
    const [plain, sampled, reasoning] = seen.map(({ body }) => JSON.stringify(body))
    const written = optionsOnWire[apiType]
    for (const text of written) expect(plain).not.toContain(text)
    for (const text of written.slice(0, 3)) expect(sampled).toContain(text)
    expect(reasoning).toContain(written[3])
  })

  it.each([
    ['temperature', "Unsupported value: 'temperature' does not support 0.25 with this model."],
    ['topP', '`top_p` is deprecated for this model.'],
    ['reasoningEffort', 'Unrecognized request argument supplied: reasoning_effort'],
    ['reasoningEffort', 'thinking: Extra inputs are not permitted'],
  ])('calls the model again without the option %s that was refused with "%s"', async (option, message) => {
    const { url } = await scene.refuse(400, message)
    const options = { temperature: 0.25, topP: 0.75, reasoningEffort: 'low' } as const
    const chosen = { options: { [option]: options[option as keyof typeof options] } }
    const { parts } = await scene.callModel(apiType, url, { request: chosen })
    expect(parts).toMatchObject([{ type: 'option_omitted', option }, { code: 'upstream_error' }])
    expect((await scene.callModel(apiType, url)).parts).toMatchObject([{ code: 'upstream_error' }])
  })

  it('sends no key when there is none, and uses the custom path', async () => {
    const { url, seen } = await scene.serve(() => [
      shape.start('m'),
      shape.text('ok'),
      shape.finish('stop', usage),
    ])
    await scene.callModel(apiType, `${url}/base/`, { apiKey: null, path: 'own/{model}?version=2' })
    expect(seen[0]?.url).toBe('/base/own/wire-model?version=2')
    const names = Object.keys(seen[0]?.headers ?? {})
    for (const name of ['authorization', 'x-api-key', 'x-goog-api-key']) expect(names).not.toContain(name)
  })

  it('yields complete tool calls after the text', async () => {
    const { url } = await scene.serve(() => [
      shape.start('m'),
      shape.text('I will look.'),
      shape.toolCall('call_1', 'look_up', '{"word":"größe","n":[1,2]}'),
      shape.finish('tool_calls', usage),
    ])
    const { parts } = await scene.callModel(apiType, url, {
      request: { tools: [{ name: 'look_up', description: '', inputSchema: { type: 'object' } }] },
    })
    const call = parts.find((part) => part.type === 'tool_call')
    expect(call).toMatchObject({ name: 'look_up' })
    expect(call?.id).not.toBe('')
    expect(JSON.parse(call?.arguments ?? '')).toEqual({ word: 'größe', n: [1, 2] })
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' })
  })

  it('sends signed data back with its call to the same upstream only', async () => {
    const signature = 'c2lnbmVkLWJ5LW1l'
    const events = () => [
      shape.start('m'),
      shape.signedCall('look_up', signature),
      shape.finish('tool_calls', usage),
    ]
    const [own, other] = [await scene.serve(events), await scene.serve(events)]
    const tools = [{ name: 'look_up', description: '', inputSchema: { type: 'object' } }]
    const { parts } = await scene.callModel(apiType, own.url, { request: { tools } })
    const call = parts.find((part) => part.type === 'tool_call')
    if (call === undefined) throw new Error('The reply has no tool call.')
    // Stored calls are JSON.
    const toolCalls = [JSON.parse(JSON.stringify(call)) as typeof call]
    const messages: ModelMessage[] = [
      userMessage('What is it?'),
      assistantMessage('', toolCalls),
      resultsMessage({ callId: call.id, name: call.name, text: 'this' }),
    ]
    await scene.callModel(apiType, own.url, { request: { tools, messages } })
    await scene.callModel(apiType, other.url, { request: { tools, messages } })
    expect(JSON.stringify(own.seen.at(-1)?.body)).toContain(signature)
    expect(JSON.stringify(other.seen.at(-1)?.body)).toContain('this')
    expect(JSON.stringify(other.seen.at(-1)?.body)).not.toContain(signature)
  })

  it.each([
    [400, '"gemma" does not support tools'],
    [404, 'No endpoints found that support tool use.'],
  ])('recognises a model without tool support by its refusal with %i', async (status, message) => {
    const { url } = await scene.refuse(status, message)
    const tools = [{ name: 'look_up', description: '', inputSchema: { type: 'object' } }]
    expect((await scene.callModel(apiType, url, { request: { tools } })).end).toMatchObject({
      type: 'failed',
      code: 'tool_unavailable',
    })
    expect((await scene.callModel(apiType, url)).end).toMatchObject({
      type: 'failed',
      code: 'upstream_error',
    })
  })

  it.each([
    [400, "This model's maximum context length is 8192 tokens.", { contextWindow: 8192 }],
    [413, 'Request Entity Too Large', {}],
  ])('recognises a prompt that is too long by its refusal with %i', async (status, message, size) => {
    const { url } = await scene.refuse(status, message)
    const { end } = await scene.callModel(apiType, url)
    expect(end).toMatchObject({ type: 'failed', code: 'context_exceeded', ...size })
  })

  it('recognises a prompt that is too long by an error in the stream, unless text precedes it', async () => {
    const error = shape.error('prompt is too long: 210000 tokens > 200000 maximum')
    const early = await scene.serve(() => [shape.start('m'), error])
    expect((await scene.callModel(apiType, early.url)).end).toMatchObject({
      code: 'context_exceeded',
      contextWindow: 200_000,
    })
    const late = await scene.serve(() => [shape.start('m'), shape.text('Hello'), error])
    expect((await scene.callModel(apiType, late.url)).end).toMatchObject({ code: 'upstream_error' })
  })

  it('finishes with length when the limit ended the reply', async () => {
    const { url } = await scene.serve(() => [
      shape.start('m'),
      shape.text('half'),
      shape.finish('length', usage),
    ])
    expect((await scene.callModel(apiType, url)).end).toEqual({ type: 'finish', reason: 'length' })
  })

  it('reads five thousand tiny chunks', async () => {
    const { text } = await scene.callModel(apiType, scene.hostile.baseUrl, {
      request: { model: 'tiny-chunks' },
      limits: { totalTimeoutMs: 20_000 },
    })
    expect(text).toHaveLength(5000)
  })
})
