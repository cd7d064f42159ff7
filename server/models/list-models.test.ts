import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { apiTypes, type ApiType } from '@yonder/contract/bot'
import { maxListedModels } from '@yonder/contract/lib/bot-limits'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { guardedFetch, type GuardedFetch } from '../http/outgoing/guarded-fetch.ts'
import type { ModelEndpoint } from './endpoint.ts'
import { listModels } from './list-models.ts'

const policy = {
  trust: 'userSupplied',
  allowedPrivateHosts: [],
  isLoopbackInstallation: true,
  ownPorts: [],
} as const
const key = 'sk-canary-0123456789abcdef'

let guard: GuardedFetch
let strict: GuardedFetch
const closing: (() => void)[] = []

beforeAll(() => {
  guard = guardedFetch({ policy })
  strict = guardedFetch({ policy: { ...policy, isLoopbackInstallation: false } })
})
afterEach(() => closing.splice(0).forEach((close) => close()))
afterAll(() => Promise.all([guard.close(), strict.close()]))

interface Seen {
  readonly url: string
  readonly headers: Readonly<Record<string, unknown>>
}

async function serve(respond: RequestListener): Promise<{ readonly host: string; readonly seen: Seen[] }> {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    seen.push({ url: request.url ?? '', headers: request.headers })
    respond(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

const json =
  (value: unknown, status = 200): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))

const list = (apiType: ApiType, baseUrl: string, more: Partial<ModelEndpoint> = {}, used = guard) =>
  listModels(
    { apiType, baseUrl, apiKey: key, customApiPath: null, addressSource: 'userSupplied', ...more },
    {
      guards: { userSupplied: used, operatorSupplied: used },
      timeoutMs: 700,
    },
    new AbortController().signal,
  )

describe('the models of a provider', () => {
  it.each<[ApiType, unknown, string, Record<string, string>, string[]]>([
    [
      'openai',
      { object: 'list', data: [{ id: 'gpt-10' }, { id: 'gpt-9' }, { id: 'gpt-9' }] },
      '/v1/models',
      { authorization: `Bearer ${key}` },
      ['gpt-9', 'gpt-10'],
    ],
    [
      'anthropic',
      { data: [{ type: 'model', id: 'claude-b' }, { id: 'claude-a' }], has_more: false },
      '/v1/models?limit=1000',
      { 'x-api-key': key, 'anthropic-version': '2023-06-01' },
      ['claude-a', 'claude-b'],
    ],
    [
      'google',
      {
        models: [
          { name: 'models/gemini', supportedGenerationMethods: ['generateContent', 'countTokens'] },
          { name: 'models/embedding', supportedGenerationMethods: ['embedContent'] },
          { name: 'tunedModels/mine', supportedGenerationMethods: ['generateContent'] },
        ],
      },
      '/v1/models?pageSize=1000',
      { 'x-goog-api-key': key },
      ['gemini', 'tunedModels/mine'],
    ],
  ])('are listed for %s, each once and sorted', async (apiType, answer, url, headers, models) => {
    const { host, seen } = await serve(json(answer))
    expect(await list(apiType, `http://${host}/v1`)).toEqual({ models, omitted: 0 })
    expect(seen).toMatchObject([{ url, headers }])
  })

  it.each([
    ['an Ollama without /v1', { models: [{ name: 'llama3:8b', model: 'llama3:8b' }] }],
    ['a list alone', [{ id: 'llama3:8b' }]],
    ['a list of texts', { data: ['llama3:8b'] }],
  ])('are read from %s', async (_, answer) => {
    const { host } = await serve((request, response) =>
      request.url === '/models' ? response.writeHead(404).end() : json(answer)(request, response),
    )
    expect(await list('openai', `http://${host}`)).toEqual({ models: ['llama3:8b'], omitted: 0 })
  })

  it("are looked for at no other path of the operator's host", async () => {
    const { host, seen } = await serve(json({}, 404))
    await expect(
      list('openai', `http://${host}/proxy/v1`, { addressSource: 'operatorSupplied' }),
    ).rejects.toMatchObject({ code: 'upstream_error' })
    expect(seen.map(({ url }) => url)).toEqual(['/proxy/v1/models'])
  })

  it.each([
    ['http://{host}/v1/chat/completions', null, '/v1/models'],
    ['http://{host}/', '/v1/chat/completions', '/v1/models'],
    ['http://{host}/api', 'other/path', '/api/models'],
    ['http://{host}/v1?key=1', null, '/v1/models?key=1'],
  ])('are looked for beside the calls: %s and %s', async (address, customApiPath, url) => {
    const { host, seen } = await serve(json({ data: [] }))
    await list('openai', address.replace('{host}', host), { customApiPath })
    expect(seen.map((request) => request.url)).toEqual([url])
  })

  it('are at most 1,000 of 10,000, and the rest is counted', async () => {
    const data = Array.from({ length: 10_000 }, (_, index) => ({ id: `model-${index}` }))
    const { host } = await serve(json({ data }))
    const { models, omitted } = await list('openai', `http://${host}/v1`)
    expect([models.length, models[0], omitted]).toEqual([1_000, 'model-0', 9_000])
  })

  it('leave out names that repeat the key', async () => {
    const { host } = await serve(
      json({ data: [{ id: 'a' }, { id: `b-${key}` }, { id: encodeURIComponent(key) }] }),
    )
    expect(await list('openai', `http://${host}/v1`)).toEqual({ models: ['a'], omitted: 0 })
  })

  it('leave out names that a user could not see as they are', async () => {
    const odd = [null, 7, {}, '', 'a\u200bb', 'a\nb', 'right\u202eleft', ' padded ', 'x'.repeat(301)]
    const { host } = await serve(json({ data: [...odd, { id: '<img src=x onerror=alert(1)>' }] }))
    expect((await list('openai', `http://${host}/v1`)).models).toEqual(['<img src=x onerror=alert(1)>'])
  })
})

describe('an address without a list of models', () => {
  const html: RequestListener = (_request, response) =>
    void response.end('\n<!doctype html><title>Hi</title>')
  const redirectTo =
    (location: string): RequestListener =>
    (_request, response) =>
      void response.writeHead(302, { location }).end()
  const hang: RequestListener = () => undefined
  const drip: RequestListener = (_request, response) => {
    response.write('{"data":[')
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(timer))
  }
  const huge: RequestListener = (_request, response) =>
    void response.end(`{"data":["${'x'.repeat(4_000_000)}"]}`)

  it.each<[string, RequestListener, string, string]>([
    [
      'HTML',
      html,
      'upstream_invalid',
      '{host} returned a web page instead of a list of models. Check the base URL.',
    ],
    [
      'other JSON',
      json({ hello: 1 }),
      'upstream_invalid',
      '{host} did not return a list of models. Check the base URL and the API type.',
    ],
    [
      'broken JSON',
      (_request, response) => void response.end('{"data":['),
      'upstream_invalid',
      '{host} did not return a list of models. Check the base URL and the API type.',
    ],
    [
      'a redirect to another site',
      redirectTo('http://127.0.0.1:9/v1/models'),
      'address_refused',
      'The server redirects to another address (http://127.0.0.1:9). Such redirects are not followed. Enter the final address.',
    ],
    [
      'a redirect to a metadata service',
      redirectTo('http://169.254.169.254/latest/'),
      'address_refused',
      'The address 169.254.169.254:80 is not reachable from here, because it is not public. Link-local addresses, metadata services and other special addresses are always refused. Use another address.',
    ],
    [
      'silence',
      hang,
      'upstream_timeout',
      '{host} did not send its list of models within 0.7 s. Type the name of the model.',
    ],
    [
      'a slow drip',
      drip,
      'upstream_timeout',
      '{host} did not send its list of models within 0.7 s. Type the name of the model.',
    ],
    [
      '4 MB',
      huge,
      'output_limit',
      '{host} sent a list of models of more than 2 MB. Type the name of the model.',
    ],
    [
      'nothing there',
      json({}, 404),
      'upstream_error',
      '{host} has no list of models at this address (404). Check the base URL, or type the name of the model.',
    ],
    [
      'a refused key',
      json({ error: { message: `Incorrect API key provided: ${key}` } }, 401),
      'upstream_refused_key',
      '{host} refused the API key (401): Incorrect API key provided: •••. Check the API key of this bot.',
    ],
  ])('fails with the reason, for %s', async (_, respond, code, message) => {
    const { host } = await serve(respond)
    await expect(list('openai', `http://${host}/v1`)).rejects.toMatchObject({
      code,
      message: message.replace('{host}', host),
    })
  })

  it.each(apiTypes)('connects to no private address, for %s', async (apiType) => {
    const { host, seen } = await serve(json({ data: [] }))
    for (const address of [`http://${host}/v1`, 'http://169.254.169.254/latest', 'http://10.0.0.5/v1']) {
      await expect(list(apiType, address, {}, strict)).rejects.toMatchObject({ code: 'address_refused' })
    }
    expect(seen).toEqual([])
  })

  it('refuses a key that no header can carry, and an address that is none', async () => {
    for (const more of [
      { apiKey: 'a\r\nX-Other: y' },
      { baseUrl: 'file:///etc/passwd' },
      { baseUrl: 'nonsense' },
    ])
      await expect(list('openai', 'http://127.0.0.1:9', more)).rejects.toMatchObject({
        code: 'bot_misconfigured',
      })
  })
})

it('reads the first 5,000 of 282,000 models, and counts the others', async () => {
  const ids = Array.from({ length: 282_000 }, (_, at) => at.toString(36))
  const { host } = await serve(json(ids))
  const { models, omitted } = await list('openai', `http://${host}/v1`)
  expect(models).toHaveLength(maxListedModels)
  expect(models.length + omitted).toBe(ids.length)
  expect(models.every((name) => Number.parseInt(name, 36) < 5_000)).toBe(true)
})
