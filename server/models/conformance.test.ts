import { createServer } from 'node:http'
import { apiTypes } from '@yonder/contract/bot'
import type { ApiType } from '@yonder/contract/bot'
import type { ErrorCode } from '@yonder/contract/error-codes'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { guardedFetch } from '../http/guarded-fetch.ts'
import type { GuardedFetch } from '../http/guarded-fetch.ts'
import { startHostileModel } from '../testing/hostile-model.ts'
import type { HostileModel } from '../testing/hostile-model.ts'
import { findWireShape, wireShapes } from '../testing/wire-shapes.ts'
import { modelLimits } from './model-limits.ts'
import type { ModelLimits } from './model-limits.ts'
import type { ModelMessage, ModelPart, ModelRequest } from './model.ts'
import { openModel } from './open-model.ts'

const key = 'sk-canary-0123456789abcdef'
const conversation = 'The gate code of the summer house is seven four one nine.'
const usage = { input: 5, output: 7 }

/** Small enough for a test to wait for. */
const limits: ModelLimits = {
  ...modelLimits,
  firstByte: 800,
  idle: 800,
  total: 2500,
  afterFinish: 300,
  outputChars: 100_000,
  retryWait: 2000,
}

let hostile: HostileModel
let guard: GuardedFetch
const closing: (() => void)[] = []

beforeAll(async () => {
  hostile = await startHostileModel()
  guard = guardedFetch({
    policy: { trust: 'typed', allowedPrivateHosts: [], loopbackInstallation: true, ownPorts: [] },
    maxRedirects: 0,
  })
})
afterEach(() => {
  for (const close of closing.splice(0)) close()
})
afterAll(async () => {
  await guard.close()
  await hostile.close()
})

interface Asking {
  readonly request?: Partial<ModelRequest>
  readonly signal?: AbortSignal
  readonly apiKey?: string | null
  readonly path?: string
  readonly limits?: Partial<ModelLimits>
  readonly guard?: GuardedFetch
  readonly onParts?: (parts: readonly ModelPart[]) => void
}

/** Asks a model and gives back everything that came, checked against what every adapter promises. */
async function ask(apiType: ApiType, baseUrl: string, asking: Asking = {}) {
  const model = openModel(
    {
      apiType,
      baseUrl,
      apiKey: asking.apiKey === undefined ? key : asking.apiKey,
      customApiPath: asking.path ?? null,
      trusted: 'typed',
    },
    { guards: { typed: asking.guard ?? guard, operator: guard }, limits: { ...limits, ...asking.limits } },
  )
  const parts: ModelPart[] = []
  const signal = asking.signal ?? new AbortController().signal
  await model(
    {
      model: 'wire-model',
      messages: [{ role: 'user', content: conversation }],
      tools: [],
      maxTokens: null,
      ...asking.request,
    },
    {
      signal,
      onParts: (some) => {
        expect(some.length).toBeGreaterThan(0)
        expect(signal.aborted).toBe(false)
        parts.push(...some)
        asking.onParts?.(some)
      },
    },
  )
  const ends = parts.filter((part) => part.type === 'finish' || part.type === 'failed')
  if (!signal.aborted) {
    expect(ends).toHaveLength(1)
    expect(parts.at(-1)).toBe(ends[0])
  }
  const join = (type: 'text' | 'reasoning') =>
    parts.map((part) => (part.type === type ? part.text : '')).join('')
  return { parts, end: parts.at(-1), text: join('text'), reasoning: join('reasoning') }
}

interface Seen {
  readonly url: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Readonly<Record<string, unknown>>
}

/** An upstream that refuses every request so. */
async function refuse(status: number, message: string): Promise<{ url: string }> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` }
}

/** An upstream of any format that sends these events and keeps what it was sent. */
async function serve(
  events: (url: string) => readonly string[] | undefined,
): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Seen['body']
      seen.push({ url: request.url ?? '', headers: request.headers, body })
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const event of events(request.url ?? '') ?? []) response.write(event)
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    seen,
  }
}

/** How many requests are still open when a second has passed, or none are. */
async function countOpen(upstream: HostileModel): Promise<number> {
  const deadline = Date.now() + 1000
  while (upstream.openRequests > 0 && Date.now() < deadline) await wait(10)
  return upstream.openRequests
}

/** An upstream of its own, so that tests can run side by side. */
async function withHostile<Result>(run: (upstream: HostileModel) => Promise<Result>): Promise<Result> {
  const upstream = await startHostileModel()
  try {
    return await run(upstream)
  } finally {
    await upstream.close()
  }
}

describe.each(apiTypes)('%s', (apiType) => {
  const shape = wireShapes[apiType]

  it('gives model, reasoning, text, usage and finish in order', async () => {
    const { url } = await serve(() => [
      shape.start('wire-model'),
      shape.reasoning('Let me see.'),
      shape.text('Hello'),
      shape.text(' world'),
      shape.finish('stop', usage),
    ])
    const { parts, text, reasoning } = await ask(apiType, url)
    expect(reasoning).toBe('Let me see.')
    expect(text).toBe('Hello world')
    expect(parts.slice(-2)).toEqual([
      { type: 'usage', inputTokens: 5, outputTokens: 7 },
      { type: 'finish', reason: 'stop' },
    ])
    const order = parts.map((part) => part.type).filter((type, at, all) => type !== all[at - 1])
    const named = apiType === 'google' ? [] : ['model']
    expect(order).toEqual([...named, 'reasoning', 'text', 'usage', 'finish'])
  })

  it('sends the conversation once, with its tools, its limit and its key', async () => {
    const { url, seen } = await serve(() => [shape.start('m'), shape.text('ok'), shape.finish('stop', usage)])
    await ask(apiType, url, {
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
          { role: 'user', content: 'What time is it?' },
          {
            role: 'assistant',
            content: '',
            toolCalls: [{ id: 'c1', name: 'clock', arguments: '{"zone":"UTC"}' }],
          },
          { role: 'tool', callId: 'c1', name: 'clock', content: 'noon' },
        ],
      },
    })
    expect(seen).toHaveLength(1)
    const [request] = seen
    const sent = JSON.stringify(request?.body)
    for (const piece of ['What time is it?', 'clock', 'Tells the time', 'zone', 'UTC', 'noon', '321'])
      expect(sent).toContain(piece)
    expect(sent.split('What time is it?')).toHaveLength(2)
    expect(Object.values(request?.headers ?? {}).filter((value) => String(value).includes(key))).toHaveLength(
      1,
    )
    expect(request?.headers['accept-encoding']).toBe('identity')
    expect(findWireShape(request?.url ?? '')?.apiType).toBe(apiType)
  })

  it('sends no key when there is none, and uses its own path', async () => {
    const { url, seen } = await serve(() => [shape.start('m'), shape.text('ok'), shape.finish('stop', usage)])
    await ask(apiType, `${url}/base/`, { apiKey: null, path: 'own/{model}?version=2' })
    expect(seen[0]?.url).toBe('/base/own/wire-model?version=2')
    const names = Object.keys(seen[0]?.headers ?? {})
    for (const name of ['authorization', 'x-api-key', 'x-goog-api-key']) expect(names).not.toContain(name)
  })

  it('gives whole tool calls after the text', async () => {
    const { url } = await serve(() => [
      shape.start('m'),
      shape.text('I will look.'),
      shape.toolCall('call_1', 'look_up', '{"word":"größe","n":[1,2]}'),
      shape.finish('tool_calls', usage),
    ])
    const { parts } = await ask(apiType, url, {
      request: { tools: [{ name: 'look_up', description: '', inputSchema: { type: 'object' } }] },
    })
    const call = parts.find((part) => part.type === 'tool_call')
    expect(call).toMatchObject({ name: 'look_up' })
    expect(call?.id).not.toBe('')
    expect(JSON.parse(call?.arguments ?? '')).toEqual({ word: 'größe', n: [1, 2] })
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' })
  })

  it('gives an upstream back what it signed with its call, and nobody else', async () => {
    const signature = 'c2lnbmVkLWJ5LW1l'
    const answer = () => [
      shape.start('m'),
      shape.signedCall('look_up', signature),
      shape.finish('tool_calls', usage),
    ]
    const [own, other] = [await serve(answer), await serve(answer)]
    const tools = [{ name: 'look_up', description: '', inputSchema: { type: 'object' } }]
    const { parts } = await ask(apiType, own.url, { request: { tools } })
    const call = parts.find((part) => part.type === 'tool_call')
    if (call === undefined) throw new Error('there is no call')
    // As it is kept.
    const toolCalls = [JSON.parse(JSON.stringify(call)) as typeof call]
    const messages: ModelMessage[] = [
      { role: 'user', content: 'What is it?' },
      { role: 'assistant', content: '', toolCalls },
      { role: 'tool', callId: call.id, name: call.name, content: 'this' },
    ]
    await ask(apiType, own.url, { request: { tools, messages } })
    await ask(apiType, other.url, { request: { tools, messages } })
    expect(JSON.stringify(own.seen.at(-1)?.body)).toContain(signature)
    expect(JSON.stringify(other.seen.at(-1)?.body)).toContain('this')
    expect(JSON.stringify(other.seen.at(-1)?.body)).not.toContain(signature)
  })

  it.each([
    [400, '"gemma" does not support tools'],
    [404, 'No endpoints found that support tool use.'],
  ])('knows a model that takes no tools by its refusal with %i', async (status, message) => {
    const { url } = await refuse(status, message)
    const tools = [{ name: 'look_up', description: '', inputSchema: { type: 'object' } }]
    expect((await ask(apiType, url, { request: { tools } })).end).toMatchObject({
      type: 'failed',
      code: 'tool_unavailable',
    })
    expect((await ask(apiType, url)).end).toMatchObject({ type: 'failed', code: 'upstream_error' })
  })

  it('says when the length limit ended the answer', async () => {
    const { url } = await serve(() => [shape.start('m'), shape.text('half'), shape.finish('length', usage)])
    expect((await ask(apiType, url)).end).toEqual({ type: 'finish', reason: 'length' })
  })

  it('closes the upstream within a second of an abort and gives nothing more', async () => {
    const stop = new AbortController()
    const started = Date.now()
    const { parts } = await ask(apiType, hostile.baseUrl, {
      request: { model: 'endless' },
      signal: stop.signal,
      limits: { outputChars: 1e9 },
      onParts: (some) => {
        if (some.some((part) => part.type === 'text')) queueMicrotask(() => stop.abort())
      },
    })
    expect(Date.now() - started).toBeLessThan(1000)
    expect(parts.some((part) => part.type === 'finish' || part.type === 'failed')).toBe(false)
    expect(await countOpen(hostile)).toBe(0)
  })

  it('resolves at once when aborted before the first byte, and asks nothing when aborted already', async () => {
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 50)
    const started = Date.now()
    expect(
      (await ask(apiType, hostile.baseUrl, { request: { model: 'no-answer' }, signal: stop.signal })).parts,
    ).toEqual([])
    expect(Date.now() - started).toBeLessThan(500)
    expect(await countOpen(hostile)).toBe(0)
    const count = hostile.asked.length
    expect((await ask(apiType, hostile.baseUrl, { signal: AbortSignal.abort() })).parts).toEqual([])
    expect(hostile.asked).toHaveLength(count)
  })

  const failures: Readonly<Record<string, ErrorCode>> = {
    'no-answer': 'upstream_timeout',
    silence: 'upstream_timeout',
    'silence-after-text': 'upstream_timeout',
    drip: 'upstream_timeout',
    'bad-chunk': 'upstream_invalid',
    'long-length': 'upstream_cut',
    'not-http': 'upstream_invalid',
    'closed-early': 'upstream_unreachable',
    cut: 'upstream_cut',
    'no-end': 'upstream_cut',
    'broken-json': 'upstream_invalid',
    html: 'upstream_invalid',
    'html-as-stream': 'upstream_invalid',
    'json-error': 'upstream_error',
    empty: 'upstream_invalid',
    'no-content': 'upstream_invalid',
    'error-after-text': 'upstream_error',
    gzip: 'upstream_invalid',
    redirect: 'upstream_invalid',
    'redirect-inside': 'upstream_invalid',
    'huge-event': 'upstream_invalid',
    endless: 'output_limit',
    'refuse-key': 'upstream_refused_key',
    forbidden: 'upstream_refused_key',
    echo: 'upstream_error',
    'not-found': 'upstream_error',
    'rate-limit': 'upstream_rate_limited',
    'rate-limit-huge': 'upstream_rate_limited',
    'status-500': 'upstream_error',
    'broken-tool': 'upstream_invalid',
    'cut-tool': 'upstream_cut',
  }

  it.concurrent.each(Object.entries(failures))('ends %s as %s', (fault, code) =>
    withHostile(async (upstream) => {
      const started = Date.now()
      const { parts, end } = await ask(apiType, upstream.baseUrl, { request: { model: fault } })
      expect(Date.now() - started).toBeLessThan(limits.total + 1500)
      expect(end).toMatchObject({ type: 'failed', code })
      const message = end?.type === 'failed' ? end.message : ''
      expect(message).toMatch(/^\S.{10,600}[.!?…]$/)
      expect(message).not.toContain(key)
      expect(message).not.toContain('seven four one nine')
      expect(parts.filter((part) => part.type === 'tool_call')).toEqual([])
      expect(upstream.strayed).toBe(0)
      expect(await countOpen(upstream)).toBe(0)
    }),
  )

  it.concurrent.each(['silence-after-text', 'cut', 'no-end', 'error-after-text', 'broken-json'])(
    'keeps what came before %s',
    async (fault) => {
      expect((await ask(apiType, hostile.baseUrl, { request: { model: fault } })).text).toBe('partial')
    },
  )

  const answers: Readonly<Record<string, string>> = {
    'rate-limit-once': 'ok',
    'rate-limit-date': 'ok',
    'rate-limit-negative': 'ok',
    'status-500-once': 'ok',
    'status-503-once': 'ok',
    'status-529-once': 'ok',
    'odd-headers': 'ok',
    'odd-events': '<script>alert(1)</script>',
    'split-bytes': 'añ€😀 done',
    'split-surrogates': 'smile 😀 lone \uFFFDx\uFFFDy',
    'windows-lines': 'ok',
  }

  it.concurrent.each(Object.entries(answers))('answers through %s', (fault, text) =>
    withHostile(async (upstream) => {
      const answer = await ask(apiType, upstream.baseUrl, { request: { model: fault } })
      expect(answer.end).toEqual({ type: 'finish', reason: 'stop' })
      expect(answer.text).toBe(text)
      expect(upstream.asked.length).toBeLessThanOrEqual(2)
    }),
  )

  it('asks at most three times, and never again once something came', async () => {
    const asked = (fault: string) => hostile.asked.filter((each) => each === fault).length
    for (const [fault, times] of [
      ['status-500', 3],
      ['error-after-text', 1],
      ['cut', 1],
      ['rate-limit-huge', 1],
    ] as const) {
      const before = asked(fault)
      await ask(apiType, hostile.baseUrl, { request: { model: fault } })
      expect([fault, asked(fault) - before]).toEqual([fault, times])
    }
  })

  it('reads five thousand tiny pieces', async () => {
    const { text } = await ask(apiType, hostile.baseUrl, {
      request: { model: 'tiny-chunks' },
      limits: { total: 20_000 },
    })
    expect(text).toHaveLength(5000)
  })

  it('tells a name that does not exist, a port where nobody listens and a server that speaks no TLS', async () => {
    const { url } = await serve(() => [])
    const cases = ['http://no-such-host.invalid', 'http://127.0.0.1:9', url.replace('http:', 'https:')]
    for (const address of cases) {
      expect((await ask(apiType, address)).end).toMatchObject({
        type: 'failed',
        code: 'upstream_unreachable',
      })
    }
  })

  it('names the setting when the address is refused, and the bot when its settings are no good', async () => {
    const strict = guardedFetch({
      policy: { trust: 'typed', allowedPrivateHosts: [], loopbackInstallation: false, ownPorts: [] },
    })
    const count = hostile.asked.length
    for (const address of [
      'http://10.0.0.5/v1',
      hostile.baseUrl,
      hostile.baseUrl.replace('127.0.0.1', 'localhost'),
    ]) {
      const refused = (await ask(apiType, address, { guard: strict })).end
      expect(refused).toMatchObject({ type: 'failed', code: 'address_refused' })
      expect(refused?.type === 'failed' && refused.message).toContain('ALLOWED_PRIVATE_HOSTS')
    }
    expect(hostile.asked).toHaveLength(count)
    await strict.close()
    const bad = [
      ask(apiType, 'not an address'),
      ask(apiType, 'file:///etc/passwd'),
      ask(apiType, hostile.baseUrl, { path: 'https://elsewhere.example/' }),
      ask(apiType, hostile.baseUrl, { apiKey: 'key\r\nX-Injected: y' }),
    ]
    for (const { end } of await Promise.all(bad))
      expect(end).toMatchObject({ type: 'failed', code: 'bot_misconfigured' })
  })
})
