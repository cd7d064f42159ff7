import { afterAll, beforeAll, expect, it } from 'vitest'
import { listApiCalls, type ApiCall } from './testing/chat/list-api-calls.ts'
import { fillToLimits, registryUrl, type Filled } from './testing/load/fill-to-limits.ts'
import { listWorstRequests, worstRequests } from './testing/load/worst-requests.ts'
import { openTestApp, type TestApp, type TestClient } from './testing/test-app.ts'

/*
 * One user must not slow down the others: no request holds the event loop for long, answers with much in one piece, or
 * writes a long line to the log. `bench/held-loop.ts` measures the time with the same table and full limits.
 */

const maxWriteBytes = 1_000_000
const maxLineBytes = 4_096
const maxRefusalBytes = 4_096

let product: TestApp
let ada: TestClient
let calls: readonly ApiCall[]
let filled: Filled
let lines: string[] = []
/** The bytes of each write of a response. */
let writes: number[] = []

beforeAll(async () => {
  product = await openTestApp({
    environment: {
      LOG_LEVEL: 'info',
      SELF_SERVICE: 'on',
      CONNECTOR_REGISTRY_URL: registryUrl,
      RATE_LIMIT_SHARE_READS: '100000',
      ALLOWED_PRIVATE_HOSTS: '127.0.0.1:9',
    },
    addHooks(app) {
      const log = app.log as unknown as Record<symbol, unknown>
      const stream = Object.getOwnPropertySymbols(log).find(
        ({ description }) => description === 'pino.stream',
      )
      if (stream === undefined) throw new Error('The log of the server has no stream.')
      log[stream] = { write: (line: string) => lines.push(line) }
      app.addHook('onRequest', async (_request, { raw }) => {
        for (const name of ['write', 'end'] as const) {
          const original = raw[name].bind(raw) as (...rest: unknown[]) => unknown
          raw[name] = ((chunk: unknown, ...rest: unknown[]) => {
            if (typeof chunk === 'string' || Buffer.isBuffer(chunk)) writes.push(Buffer.byteLength(chunk))
            return original(chunk, ...rest)
          }) as never
        }
      })
    },
  })
  ada = await product.signIn('Ada')
  calls = await listApiCalls(product.app)
  await ada.get('/api/mcp-servers')
  filled = await fillToLimits(product.database, ada.user.id, {
    bots: 20,
    connectors: 4,
    schemaChars: 7_000,
    projects: 30,
    shares: 30,
    chats: 30,
    messages: 400,
    chatChars: 3_000_000,
    days: 100,
    catalogue: 400,
    fileBytes: 2_000_000,
  })
})
afterAll(() => product.close())

it('are listed for every published route', () => {
  expect(Object.keys(worstRequests).toSorted()).toEqual(calls.map(({ name }) => name).toSorted())
})

it('are answered in small pieces, and logged in short lines', async () => {
  let largest = 0
  for (const call of calls) {
    for (const { what, method, url, body } of listWorstRequests(call, filled) ?? []) {
      lines = []
      writes = []
      const response = await product.app.inject({
        method,
        url,
        headers: { ...ada.headers, prefer: 'respond-async', 'content-type': 'application/json' },
        ...(body === undefined ? {} : { payload: body }),
      })
      const name = `${call.name}, ${what} (${response.statusCode})`
      expect(Math.max(0, ...writes), name).toBeLessThanOrEqual(maxWriteBytes)
      expect(Math.max(...lines.map((line) => Buffer.byteLength(line))), name).toBeLessThanOrEqual(
        maxLineBytes,
      )
      expect(response.statusCode, name).not.toBe(500)
      const bytes = Buffer.byteLength(response.body)
      if (response.statusCode >= 400) expect(bytes, name).toBeLessThanOrEqual(maxRefusalBytes)
      largest = Math.max(largest, bytes)
    }
  }
  // Otherwise too little is stored to find an answer in one piece.
  expect(largest).toBeGreaterThan(3 * maxWriteBytes)
})

it.each([
  ['a long address', '/api/chats/x', { 'x-y': 'z' }],
  ['a search of many bytes', `/api/chats?search=${'%E6%BC%A2'.repeat(1_500)}`, {}],
  ['an unknown route', `/api/${'x'.repeat(15_000)}`, {}],
  ['a day that is long', `/api/usage?from=${'2'.repeat(15_000)}&to=1&time_zone=${'x'.repeat(100)}`, {}],
  ['a long header', '/api/chats', { 'last-event-id': 'x'.repeat(15_000), forwarded: 'y'.repeat(900) }],
])('are refused and logged in short: %s', async (_what, url, headers) => {
  lines = []
  const response = await product.app.inject({ url, headers: { ...ada.headers, ...headers } })
  if (response.statusCode >= 400) expect(response.body.length).toBeLessThanOrEqual(maxRefusalBytes)
  expect(lines.length).toBeGreaterThan(0)
  expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(maxLineBytes)
})
