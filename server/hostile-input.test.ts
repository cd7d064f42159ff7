import { ErrorBody } from '@yonder/contract/error'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listApiCalls, type ApiCall } from './testing/chat/list-api-calls.ts'
import { hashTables } from './testing/database/hash-tables.ts'
import { engines, type Engine } from './testing/database/test-database.ts'
import { injected, type Method, type TestResponse } from './testing/send-request.ts'
import { openTestApp } from './testing/test-app.ts'

const bytes = (...values: number[]) => Buffer.from(values)

/** Bodies that no call accepts. */
const bodies: Readonly<Record<string, string | Buffer>> = {
  empty: '',
  null: 'null',
  'an empty list': '[]',
  'a list': '[{"name":"x","model":"y"}]',
  'a string': '"x"',
  'a number': '0',
  'invalid JSON': '{"name":',
  'two megabytes': JSON.stringify({ name: 'x'.repeat(2 * 1024 * 1024) }),
  'deep lists': '['.repeat(100_000) + ']'.repeat(100_000),
  'deep objects': '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000),
  'a NUL': bytes(0),
  'a NUL in a string': JSON.stringify('\0'),
  'half a surrogate pair': '"\\ud800"',
  'half a surrogate pair in bytes': Buffer.concat([
    Buffer.from('"'),
    bytes(0xed, 0xa0, 0x80),
    Buffer.from('"'),
  ]),
  'UTF-16': Buffer.from('{"name":"x"}', 'utf16le'),
  'a prototype': '{"__proto__":{"id":"x"}}',
}

/** Values that no field expects, or that are known to break other programs. */
const oddValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  2 ** 53 + 1,
  1.5,
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '../../etc/passwd',
  "' or 1=1 --",
  '%_\\*"',
  '__proto__',
  'constructor',
  '\u202egnp.exe',
  '\ufeff',
  'e\u0301'.repeat(1_000),
  'x'.repeat(10_000),
  [],
  ['x'],
  [null],
  {},
  { type: 'text' },
  [{ type: 'text', text: '\ud800' }],
]

/** Odd values for paths and queries, encoded for an address. */
const oddWords: readonly string[] = [
  '%00',
  '%20',
  '%ED%A0%80',
  '%C0%AE%C0%AE',
  '%',
  '..%2f..%2fetc%2fpasswd',
  '%27%20or%201%3D1%20--',
  '%25',
  '*',
  '-1',
  '0',
  '1e9',
  '1e999',
  'NaN',
  '9007199254740993',
  'x'.repeat(2_000),
  'a;b',
  '%F0%9F%98%80',
  'NEAR(%22',
]

async function openScene(engine: Engine) {
  const product = await openTestApp({ engine, environment: { CONNECTOR_REGISTRY_URL: 'none' } })
  const calls = await listApiCalls(product.app)
  const ada = await product.signIn('Ada')
  // The first read of the list stores the default connectors.
  await ada.get('/api/mcp-servers')
  const transport = injected(product.app)
  const send = (method: Method, url: string, body?: string | Buffer) =>
    transport.send({ method, url, headers: ada.headers, ...(body === undefined ? {} : { body }) })
  return { product, calls, ada, send }
}

const pathOf = (call: ApiCall, word = 'never-was') => call.path.replaceAll(/\{\w+\}/g, word)

/** Checks that a response has the form of all errors. */
function expectError(response: TestResponse, what: string): void {
  expect(response.headers['content-type'], what).toBe('application/json; charset=utf-8')
  expect(ErrorBody.safeParse(JSON.parse(response.body)).success, `${what}: ${response.body}`).toBe(true)
}

describe('an invalid body', () => {
  let scene: Awaited<ReturnType<typeof openScene>>
  beforeAll(async () => {
    scene = await openScene('sqlite')
  })
  afterAll(() => scene.product.close())

  it.each(Object.entries(bodies))(
    '%s is refused by every call, and nothing is written',
    async (_what, body) => {
      const before = await hashTables(scene.product.database)
      const writing = scene.calls.filter(({ method }) => method !== 'GET')
      expect(writing.length).toBeGreaterThan(10)
      for (const call of writing) {
        const response = await scene.send(call.method, pathOf(call), body)
        // 403: not allowed without SELF_SERVICE=on.
        expect([400, 403, 404, 413], `${call.name}: ${response.body}`).toContain(response.statusCode)
        if (call.hasBody && call.fields.path.length === 0) expect(response.statusCode).not.toBe(404)
        expectError(response, call.name)
      }
      expect(await hashTables(scene.product.database)).toEqual(before)
    },
  )
})

describe.each(engines)('an odd value on %s', (engine) => {
  let scene: Awaited<ReturnType<typeof openScene>>
  beforeAll(async () => {
    scene = await openScene(engine)
  })
  afterAll(() => scene.product.close())

  it('in any field of a body is accepted or refused, and never causes a failure', async () => {
    const plain: Readonly<Record<string, unknown>> = {
      name: 'Odd',
      model: 'm',
      url: 'https://tools.example/mcp',
      chatId: 'never-was',
      botName: 'Nobody',
      messageId: 'never-was',
      content: 'Hi',
    }
    let refused = 0
    for (const call of scene.calls.filter(({ hasBody }) => hasBody)) {
      for (const field of call.fields.body) {
        for (const value of oddValues) {
          const required = Object.entries(plain).filter(([name]) => call.fields.body.includes(name))
          const body = JSON.stringify({ ...Object.fromEntries(required), [field]: value })
          const response = await scene.send(call.method, pathOf(call), body)
          const what = `${call.name} ${field}=${JSON.stringify(value).slice(0, 50)}: ${response.body.slice(0, 200)}`
          expect(response.statusCode, what).toBeLessThan(500)
          if (response.statusCode < 400) await deleteCreated(call, response.body)
          else {
            expectError(response, what)
            refused += 1
          }
        }
      }
    }
    expect(refused).toBeGreaterThan(500)
    expect(JSON.stringify((await scene.ada.get('/api/bots')).json())).toBe('[]')
  })

  /** Deletes what a call created, to prove that an odd name can be used in other calls. */
  async function deleteCreated(call: ApiCall, created: string): Promise<void> {
    const { name } = JSON.parse(created === '' ? '{}' : created) as { name?: string }
    const canDelete = scene.calls.some((other) => other.name === `DELETE ${call.path}/{name}`)
    if (call.method !== 'POST' || name === undefined || !canDelete) return
    const removed = await scene.send('DELETE', `${call.path}/${encodeURIComponent(name)}`)
    expect(removed.statusCode, `${call.path} ${name}`).toBe(204)
  }

  it('in any path is refused or not found, and never causes a failure', async () => {
    const before = await hashTables(scene.product.database)
    for (const call of scene.calls.filter(({ fields }) => fields.path.length > 0)) {
      for (const word of oddWords) {
        const body = JSON.stringify({ name: 'Odd', model: 'm', url: 'https://x.example', messageId: 'm' })
        const response = await scene.send(call.method, pathOf(call, word), call.hasBody ? body : undefined)
        const what = `${call.name} with ${word.slice(0, 40)}: ${response.body}`
        expect([400, 403, 404, 414], what).toContain(response.statusCode)
        expectError(response, what)
      }
    }
    expect(await hashTables(scene.product.database)).toEqual(before)
  })

  it('in any query is accepted or refused, and never causes a failure', async () => {
    for (const call of scene.calls.filter(({ fields }) => fields.query.length > 0)) {
      for (const field of call.fields.query) {
        for (const word of oddWords) {
          const response = await scene.send(call.method, `${pathOf(call)}?${field}=${word}`)
          expect(response.statusCode, `${call.name} ${field}=${word}: ${response.body}`).toBeLessThan(500)
          if (response.statusCode >= 400) expectError(response, `${call.name} ${field}=${word}`)
        }
        const twice = await scene.send(call.method, `${pathOf(call)}?${field}=1&${field}=2`)
        expect([400, 404], `${call.name} ${field} twice: ${twice.body}`).toContain(twice.statusCode)
      }
    }
  })
})
