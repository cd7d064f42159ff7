import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { guardedFetch, type GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'
import { startHostileModel, type HostileModel } from '../../testing/models/hostile-model.ts'
import { readReply } from '../../testing/models/read-reply.ts'
import { startScriptedModel, type ScriptedModel } from '../../testing/models/scripted-model.ts'
import { modelLimits } from '../adapter.ts'
import { userMessage, type ModelPart, type ModelRequest } from '../model.ts'
import { openModel } from '../open-model.ts'

let hostile: HostileModel
let scripted: ScriptedModel
let guard: GuardedFetch

beforeAll(async () => {
  hostile = await startHostileModel()
  scripted = await startScriptedModel()
  guard = guardedFetch({
    policy: {
      trust: 'operatorSupplied',
      allowedPrivateHosts: [],
      isLoopbackInstallation: true,
      ownPorts: [],
    },
  })
})
afterAll(async () => {
  await guard.close()
  await hostile.close()
  await scripted.close()
})

async function callModel(
  baseUrl: string,
  request: Partial<ModelRequest>,
  onBatch?: (parts: readonly ModelPart[]) => void,
  late = false,
  totalTimeoutMs = modelLimits.totalTimeoutMs,
) {
  const parts: ModelPart[] = []
  const model = openModel(
    { apiType: 'openai', baseUrl, apiKey: null, customApiPath: null, addressSource: 'operatorSupplied' },
    {
      guards: { operatorSupplied: guard, userSupplied: guard },
      limits: { ...modelLimits, afterFinishMs: 100, totalTimeoutMs },
    },
  )
  await readReply(
    model,
    { model: 'm', messages: [userMessage('hello')], tools: [], maxTokens: null, ...request },
    {
      signal: new AbortController().signal,
      onParts: (some) => {
        onBatch?.(some)
        parts.push(...some)
      },
      late,
    },
  )
  const join = (type: 'text' | 'reasoning') =>
    parts.map((part) => (part.type === type ? part.text : '')).join('')
  const calls = parts.filter((part) => part.type === 'tool_call')
  return { parts, end: parts.at(-1), text: join('text'), reasoning: join('reasoning'), calls }
}

const requestFault = (fault: string) => callModel(hostile.baseUrl, { model: fault })

describe('deviations of OpenAI-compatible servers', () => {
  it.each([
    'no-done',
    'only-done',
    'after-done',
    'hang-after-finish',
    'hang-after-done',
    'index-seven',
    'whole',
    'refuses-usage-option',
  ])('reads a reply with %s', async (fault) => {
    const { text, end } = await requestFault(fault)
    expect(text).toBe('ok')
    expect(end).toEqual({ type: 'finish', reason: 'stop' })
  })

  it('does not wait for a server that finished and stays silent', async () => {
    // The limit for a server that is silent within a reply is two minutes, longer than a test may take.
    for (const fault of ['hang-after-finish', 'hang-after-done'])
      expect((await requestFault(fault)).end).toEqual({ type: 'finish', reason: 'stop' })
    await expect.poll(() => hostile.openRequests).toBe(0)
  })

  it('fails on a response with nothing but the end marker', async () => {
    expect((await requestFault('only-done-and-nothing')).end).toMatchObject({
      type: 'failed',
      code: 'upstream_invalid',
    })
  })

  it('skips invalid choices, deltas and contents, and reads those in other shapes', async () => {
    expect((await requestFault('odd-shapes')).text).toBe('ok5')
  })

  it('reads a complete JSON response, with its reasoning and usage', async () => {
    const { reasoning, parts } = await requestFault('whole')
    expect(reasoning).toBe('because')
    expect(parts).toContainEqual({ type: 'usage', input_tokens: 5, output_tokens: 7 })
  })

  it('names the limit of a complete response that is too large', async () => {
    scripted.reply([{ raw: `{"text":"${'x'.repeat(4_000_000)}"` }])
    expect((await callModel(scripted.baseUrl, {})).end).toEqual({
      type: 'failed',
      code: 'upstream_invalid',
      message:
        'The model provider sent more than 4,000,000 characters in its response, the limit of this server. Try again, or choose another model.',
    })
  })

  it('separates thinking in tags at the start from the text', async () => {
    const { reasoning, text } = await requestFault('think-tags')
    expect(reasoning).toBe('why not')
    expect(text).toBe('ok <think> stays')
  })

  it('treats impossible usage as unknown', async () => {
    expect((await requestFault('odd-usage')).parts).toContainEqual({
      type: 'usage',
      input_tokens: null,
      output_tokens: null,
    })
  })

  it('reads thinking that Mistral sends as a chunk of the content', async () => {
    const chunk = (content: unknown) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`
    const thinking = (text: string) => [{ type: 'thinking', thinking: [{ type: 'text', text }] }]
    scripted.reply([
      { raw: chunk(thinking('Let me ')) + chunk(thinking('see.')) + chunk([{ type: 'text', text: 'Hel' }]) },
      'lo',
    ])
    const { reasoning, text } = await callModel(scripted.baseUrl, {})
    expect(reasoning).toBe('Let me see.')
    expect(text).toBe('Hello')
  })

  it.each([
    [
      'DeepSeek',
      { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150, prompt_cache_hit_tokens: 80 },
      { input_tokens: 100, output_tokens: 50, cached_tokens: 80 },
    ],
    [
      'xAI, which counts reasoning apart',
      {
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens: 150,
        completion_tokens_details: { reasoning_tokens: 30 },
      },
      { input_tokens: 100, output_tokens: 50, reasoning_tokens: 30 },
    ],
    [
      'Google, which counts reasoning only in the total',
      { prompt_tokens: 100, completion_tokens: 20, total_tokens: 150 },
      { input_tokens: 100, output_tokens: 50 },
    ],
  ])('reads the usage of %s', async (_, sent, usage) => {
    scripted.reply(['ok', { raw: `data: ${JSON.stringify({ choices: [], usage: sent })}\n\n` }])
    const { parts } = await callModel(scripted.baseUrl, {})
    expect(parts.find((part) => part.type === 'usage')).toEqual({ type: 'usage', ...usage })
  })

  it('runs none of ten thousand tool calls', async () => {
    const { end, calls } = await requestFault('many-tools')
    expect(end).toMatchObject({ type: 'failed', code: 'output_limit' })
    expect(calls).toEqual([])
  })

  it('assembles calls without index, id and text arguments', async () => {
    const { calls, end } = await requestFault('loose-tools')
    expect(calls.map(({ name, arguments: text }) => [name, text])).toEqual([
      ['first', '{"a":1}'],
      ['second', '{"b":2}'],
    ])
    expect(new Set(calls.map((call) => call.id)).size).toBe(2)
    expect(end).toEqual({ type: 'finish', reason: 'tool_calls' })
  })

  it('fails a stream that ends in the middle of an event', async () => {
    expect((await requestFault('broken-json-at-end')).end).toMatchObject({
      type: 'failed',
      code: 'upstream_invalid',
    })
  })
})

describe('requests', () => {
  it('retries with max_completion_tokens when max_tokens is refused', async () => {
    scripted.reply([{ status: 400, body: { error: { message: "use 'max_completion_tokens' instead" } } }])
    scripted.reply(['ok'])
    const before = scripted.requests.length
    expect((await callModel(scripted.baseUrl, { maxTokens: 5 })).text).toBe('ok')
    const [first, second] = scripted.requests.slice(before).map((request) => request.body)
    expect(first).toMatchObject({ max_tokens: 5 })
    expect(second).toMatchObject({ max_completion_tokens: 5 })
    expect(second).not.toHaveProperty('max_tokens')
  })

  it('sends instructions in the role that the model supports, or before the first message', async () => {
    const refuse = (message: string) => scripted.reply([{ status: 400, body: { error: { message } } }])
    refuse("Unsupported value: 'messages[0].role' does not support 'system' with this model.")
    refuse('System role not supported')
    scripted.reply(['ok'])
    const before = scripted.requests.length
    expect((await callModel(scripted.baseUrl, { instructions: 'Be brief.' })).text).toBe('ok')
    expect(scripted.requests.slice(before).map(({ body }) => body['messages'])).toEqual([
      [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hello' },
      ],
      [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: 'hello' },
      ],
      [{ role: 'user', content: 'Be brief.\n\nhello' }],
    ])
  })

  it('sends neither tools nor a limit when there are none', async () => {
    scripted.reply(['ok'])
    await callModel(scripted.baseUrl, {})
    expect(Object.keys(scripted.requests.at(-1)?.body ?? {}).sort()).toEqual([
      'messages',
      'model',
      'stream',
      'stream_options',
    ])
  })

  it('yields the parts of one read in one batch, before the next read', async () => {
    const gate = scripted.gate()
    const text = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`
    scripted.reply([{ raw: text('a') + text('b') + text('c') }, gate, 'd'])
    const batches: string[] = []
    await callModel(scripted.baseUrl, {}, (parts) => {
      batches.push(parts.map((part) => (part.type === 'text' ? part.text : part.type)).join(' '))
      gate.open()
    })
    expect(batches[0]).toBe('abc')
    expect(batches.slice(1).join(' ')).toContain('d')
  })
})

describe('a reply that is drained later', () => {
  it('is read to its end in one drain before it closes', async () => {
    scripted.reply(['a', { delay: 20 }, 'b', { delay: 20 }, 'c'])
    const batches: string[] = []
    const { end } = await callModel(
      scripted.baseUrl,
      {},
      (parts) => batches.push(parts.map((part) => (part.type === 'text' ? part.text : '')).join('')),
      true,
    )
    expect(batches[0]).toBe('abc')
    expect(end).toEqual({ type: 'finish', reason: 'stop' })
  })

  it('yields the parts that arrived before a failure', async () => {
    scripted.reply(['a', 'b', { delay: 20 }, { cut: true }])
    const { text, end } = await callModel(scripted.baseUrl, {}, undefined, true)
    expect(text).toBe('ab')
    expect(end).toMatchObject({ type: 'failed', code: 'upstream_cut' })
  })

  it('yields the parts that arrived before the timeout', async () => {
    const gate = scripted.gate()
    scripted.reply(['a', 'b', gate])
    const { text, end } = await callModel(scripted.baseUrl, {}, undefined, true, 1_000)
    gate.open()
    expect(text).toBe('ab')
    expect(end).toMatchObject({ type: 'failed', code: 'upstream_timeout' })
  })

  it('signals that it should be drained at once when it is full', async () => {
    const gate = scripted.gate()
    scripted.reply(['x'.repeat(20_000), gate, 'end'])
    const { text } = await callModel(scripted.baseUrl, {}, () => gate.open(), true)
    expect(text).toHaveLength(20_003)
  })
})
