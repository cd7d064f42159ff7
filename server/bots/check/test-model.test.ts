import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ApiType, apiTypes } from '@yonder/contract/bot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { guardedFetch, type GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'
import { openModel } from '../../models/open-model.ts'
import { startHostileModel, type HostileModel } from '../../testing/models/hostile-model.ts'
import { testLimits, testModel } from './test-model.ts'

const key = 'sk-canary-0123456789abcdef'
const policy = {
  trust: 'userSupplied',
  allowedPrivateHosts: [],
  isLoopbackInstallation: true,
  ownPorts: [],
} as const

let upstream: HostileModel
let guard: GuardedFetch
let strict: GuardedFetch
let clock = 0

beforeAll(async () => {
  upstream = await startHostileModel()
  guard = guardedFetch({ policy, maxRedirects: 0 })
  strict = guardedFetch({ policy: { ...policy, isLoopbackInstallation: false } })
})
afterAll(async () => {
  await Promise.all([upstream.close(), guard.close(), strict.close()])
})

interface TestOptions {
  readonly baseUrl?: string
  readonly guard?: GuardedFetch
  readonly signal?: AbortSignal
}

function test(apiType: ApiType, model: string, options: TestOptions = {}) {
  const { baseUrl = upstream.baseUrl } = options
  const used = options.guard ?? guard
  const stream = openModel(
    { apiType, baseUrl, apiKey: key, customApiPath: null, addressSource: 'userSupplied' },
    {
      guards: { userSupplied: used, operatorSupplied: used },
      limits: { ...testLimits, firstByteTimeoutMs: 500, idleTimeoutMs: 500, totalTimeoutMs: 2_500 },
    },
  )
  return testModel(stream, model, () => (clock += 400), options.signal ?? new AbortController().signal)
}

const hostOf = (address: string) => new URL(address).host

describe.each(apiTypes)('a test of a model with the API type %s', (apiType) => {
  it('says how long the reply took, and that it streams and accepts tools', async () => {
    expect(await test(apiType, 'fine')).toEqual({
      works: true,
      message: 'The model replied in 0.4 s, streams its replies and accepts tools.',
    })
  })

  it('calls the model again without tools when it refuses them, and says so', async () => {
    const before = upstream.requestedFaults.length
    expect(await test(apiType, 'no-tools')).toEqual({
      works: true,
      message:
        'The model replied in 0.4 s and streams its replies, but does not support tools, so this bot cannot use connectors.',
    })
    expect(upstream.requestedFaults.slice(before)).toEqual(['no-tools', 'no-tools'])
  })

  it.each([
    [
      'refuse-key',
      'upstream_refused_key',
      '{host} refused the API key (401): Incorrect API key provided: •••. Check the API key of this bot.',
    ],
    [
      'wrong-path',
      'upstream_error',
      '{host} has nothing at this path (404): Not Found. Check the base URL and the API path.',
    ],
    [
      'unknown-model',
      'upstream_error',
      '{host} does not know this model (404): The model `unknown-model` does not exist. Check the name of the model.',
    ],
    [
      'quota',
      'upstream_rate_limited',
      'The quota or credit at {host} is used up (429): You exceeded your current quota, please check your plan. Check the plan and the billing of the API key there.',
    ],
    [
      'region',
      'upstream_error',
      '{host} does not serve the country or region of this server (403): Country, region, or territory not supported. Choose another provider, or a base URL that serves it.',
    ],
    [
      'html',
      'upstream_invalid',
      "{host} returned a web page instead of a model's response. Check the address and the API path.",
    ],
    [
      'redirect',
      'upstream_invalid',
      '{host} returned a redirect (307). Redirects are not followed, because the key and the conversation would go to another address. Enter the final address.',
    ],
    ['no-answer', 'upstream_timeout', '{host} did not respond in time. Try again.'],
    [
      'silence-after-text',
      'upstream_timeout',
      '{host} stopped sending before its reply was complete. Try again.',
    ],
    ['drip', 'upstream_timeout', '{host} did not complete its reply within 3 s. Try again.'],
  ])('says what is wrong for %s', async (fault, code, message) => {
    const before = upstream.requestedFaults.length
    expect(await test(apiType, fault)).toEqual({
      works: false,
      code,
      message: message.replace('{host}', hostOf(upstream.baseUrl)),
    })
    expect(upstream.requestedFaults.length - before).toBe(1)
    expect(upstream.followedRedirects).toBe(0)
  })

  it('names the setting for a private address, and sends nothing there', async () => {
    const before = upstream.requestedFaults.length
    expect(await test(apiType, 'fine', { guard: strict })).toEqual({
      works: false,
      code: 'address_refused',
      message: `The address ${hostOf(upstream.baseUrl)} is not reachable from here, because it is not public. The operator of this installation can allow addresses in private networks and on its own machine with ALLOWED_PRIVATE_HOSTS.`,
    })
    expect(upstream.requestedFaults).toHaveLength(before)
  })

  it('says that a server does not use TLS', async () => {
    const baseUrl = upstream.baseUrl.replace('http:', 'https:')
    expect(await test(apiType, 'fine', { baseUrl })).toEqual({
      works: false,
      code: 'upstream_unreachable',
      message: `The connection to ${hostOf(baseUrl)} would not be secure: it does not use TLS at this address. If that server has no TLS, begin the address with http:// instead of https://.`,
    })
  })

  it('ends the call when the user leaves, and rejects nothing', async () => {
    const left = new AbortController()
    const running = test(apiType, 'silence', { signal: left.signal })
    left.abort()
    await running
    await expect.poll(() => upstream.openRequests).toBe(0)
  })
})

it('says that an OpenAI-compatible model does not stream', async () => {
  expect(await test('openai', 'whole')).toEqual({
    works: true,
    message:
      'The model replied in 0.4 s and accepts tools, but sends its replies in one piece instead of streaming them.',
  })
})

it.each(['anthropic', 'google'] as const)('says that %s must stream', async (apiType) => {
  const server = createServer((_request, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"content":[{"type":"text","text":"OK"}]}'),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  expect(await test(apiType, 'm', { baseUrl: `http://${host}/v1` })).toEqual({
    works: false,
    code: 'upstream_invalid',
    message: `${host} sent its reply in one piece instead of streaming it, which this API type requires. Check the API path, and that streaming is turned on there.`,
  })
  server.close()
})

it.each([
  'echo',
  'refuse-key',
  'forbidden',
  'json-error',
  'endless',
  'huge-event',
  'gzip',
  'only-done-and-nothing',
])('never shows the key, and is at most two sentences long for %s', async (fault) => {
  const { message } = await test('openai', fault)
  expect(message).not.toContain(key)
  expect(message).not.toContain('0123456789')
  expect(message.length).toBeLessThan(700)
})
