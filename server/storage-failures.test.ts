import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { SqliteFile } from './db/dialects/sqlite-file.ts'
import { listApiCalls, type ApiCall } from './testing/chat/list-api-calls.ts'
import { openChatApp, type ChatApp, type ChatClient } from './testing/chat/open-chat-app.ts'
import { failStatements, type FailingStep } from './testing/database/fail-statements.ts'
import { hashTables } from './testing/database/hash-tables.ts'
import {
  engines,
  isConcurrent,
  openTestDatabase,
  type Engine,
  type TestDatabase,
} from './testing/database/test-database.ts'
import { sendRequest } from './testing/send-request.ts'

/** A failure, the error that the driver reports for it, and the response. */
interface Failure {
  readonly name: string
  readonly error: Error
  readonly status: 503 | 507
  readonly step?: FailingStep
}

const withCode = (code: string): Error =>
  Object.assign(new pg.DatabaseError(`refused with ${code}`, 0, 'error'), { code })
const ofSystem = (code: string): Error =>
  Object.assign(new Error(`connect ${code}`), { code, syscall: 'connect' })

const failures: Readonly<Record<Engine, readonly Failure[]>> = {
  sqlite: (
    [
      ['SQLITE_BUSY', 503],
      ['SQLITE_BUSY_RECOVERY', 503],
      ['SQLITE_BUSY_SNAPSHOT', 503],
      ['SQLITE_LOCKED', 503],
      ['SQLITE_LOCKED_SHAREDCACHE', 503],
      ['SQLITE_FULL', 507],
      ['SQLITE_IOERR', 507],
      ['SQLITE_IOERR_FSYNC', 507],
      ['SQLITE_READONLY', 507],
      ['SQLITE_READONLY_DBMOVED', 507],
      ['SQLITE_CANTOPEN', 507],
    ] as const
  ).map(([code, status]) => ({
    name: code,
    error: new SqliteFile.SqliteError(`refused with ${code}`, code),
    status,
  })),
  postgres: [
    ...[
      '53300',
      '57014',
      '57P01',
      '57P02',
      '57P03',
      '08000',
      '08003',
      '08006',
      '40001',
      '40P01',
      '55P03',
    ].map((code): Failure => ({ name: code, error: withCode(code), status: 503 })),
    ...['53100', '58030', '25006'].map((code): Failure => ({
      name: code,
      error: withCode(code),
      status: 507,
    })),
    { name: 'a lost connection', error: new Error('Connection terminated unexpectedly'), status: 503 },
    { name: 'a reset connection', error: ofSystem('ECONNRESET'), status: 503 },
    { name: 'a refused connection', error: ofSystem('ECONNREFUSED'), status: 503, step: 'connect' },
    { name: 'too many connections', error: withCode('53300'), status: 503, step: 'connect' },
    { name: 'a server that starts', error: withCode('57P03'), status: 503, step: 'connect' },
    {
      name: 'an exhausted pool',
      error: new Error('timeout exceeded when trying to connect'),
      status: 503,
      step: 'connect',
    },
  ],
}

/** Calls that succeed without the database. */
const withoutDatabase = new Set([
  'GET /api/settings',
  'GET /api/auth/userinfo',
  // The built-in provider reads none.
  'POST /api/auth/id-token',
  'GET /api/browse-connectors',
  'GET /api/integration/types',
  'GET /api/bot/local-models',
])

/** A stream whose headers are sent before the database is read. It ends at once, and the browser opens it again. */
const stream = 'GET /api/live'

/** Their body is the bytes of a file. */
const uploads = new Set(['POST /api/files', 'PUT /api/imports/{id}/files/{number}'])

/** The link of an export is checked before the database is read. */
const link = 'GET /api/exports/{id}/file'

/** Bodies that the calls accept, so that each reaches the database. */
const bodies: Readonly<Record<string, unknown>> = {
  'POST /api/auth/id-token': { id_token: 'token' },
  'POST /api/bot': { name: 'New', model: 'm' },
  'PUT /api/bot/{name}': { name: 'Helper', model: 'm' },
  'POST /api/bot/models': { name: 'Helper' },
  'POST /api/bot/test': { name: 'Helper', model: 'm' },
  'POST /api/project': { name: 'New' },
  'PUT /api/project/{id}': { name: 'New' },
  'POST /api/mcp-server': { name: 'New', url: 'http://127.0.0.1:9/' },
  'PUT /api/mcp-server/{name}': { name: 'New', url: 'http://127.0.0.1:9/' },
  'PATCH /api/chats': { chats: ['chat'], change: { pinned: true } },
  'PATCH /api/mcp-server/{name}': { tools: [{ name: 'act', permission: 'block' }] },
  'POST /api/mcp-server/{name}/connect': {},
  'POST /api/grants': { server: 'search', tool: 'act', fingerprint: 'any', minutes: 5 },
  'POST /api/integration': { name: 'search', auth_type: 'api_key', api_key: 'a-key' },
  'PUT /api/integration/{name}': { name: 'search', auth_type: 'api_key', api_key: 'a-key' },
  'POST /api/integration/callback/{service}': { code: 'code', state: 'state' },
  'POST /api/tool/confirm': {
    botName: 'Helper',
    server: 's',
    chatId: 'chat',
    messageId: 'message',
    tool: 't',
    args: {},
  },
  'PUT /api/tool/step-decision': { chatId: 'chat', messageId: 'message', callId: 'call', allow: true },
  'POST /api/tool/answer': {
    chatId: 'chat',
    messageId: 'message',
    questionId: 'question',
    answer: { action: 'decline' },
  },
  'POST /api/chat/select-response': { chatId: 'chat', messageId: 'message' },
  'POST /api/chat/completions': { chatId: 'chat', botName: 'Helper', content: 'Hello' },
  'POST /api/chat/stop': { chatId: 'chat' },
  'POST /api/chat/queue': { chatId: 'chat', id: 'queued', botName: 'Helper', content: 'Hello' },
  'PATCH /api/chat/queue/{id}': { chatId: 'chat', steers: true },
  'POST /api/chat/queue/{id}/send': { chatId: 'chat' },
  'POST /api/chat/queue/continue': { chatId: 'chat', id: 'queued', paused: 'stopped' },
  'POST /api/chats/purge': { chats: 'all' },
  'PUT /api/chats/{id}/compactions/{compactionId}': { content: 'A summary.' },
  'POST /api/chats/{id}/compactions/{compactionId}/rewrite': { botName: 'Helper' },
  'POST /api/share/{chatId}': { messageId: 'message' },
  'PATCH /api/share/{id}': { files: true },
  'POST /api/files/plan': { botName: 'Helper', files: [] },
  'PUT /api/drafts': { drafts: { home: 'Half a question' } },
  'PATCH /api/notifications': { with_text: true },
  'POST /api/notifications/devices': {
    endpoint: 'https://push.example/send/abc',
    keys: {
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    },
  },
  'PUT /api/notifications/webhook': { url: 'https://hooks.example/' },
  'PUT /api/notifications/presence': { tab: 'tab', visible: true },
  'POST /api/imports': { files: [{ name: 'export.zip', size: 5 }] },
  'POST /api/imports/{id}/start': { bot: 'Helper' },
}

const days = '?from=2026-11-01&to=2026-11-30&time_zone=UTC'
/** Queries that the calls accept. */
const queries: Readonly<Record<string, string>> = {
  'DELETE /api/grants': '?all=true',
  'POST /api/files': '?name=notes.txt',
  'GET /api/chat-list': '?section=recent',
  'GET /api/chat/queue': '?chatId=chat',
  'DELETE /api/chat/queue/{id}': '?chatId=chat',
  'GET /api/usage': days,
  'GET /api/usage.csv': days,
  'GET /api/chats/{id}/usage': '?messageIds=message',
  'GET /api/chat/{id}/export': '?format=json',
}

describe.each(engines.filter(isConcurrent))('a failure of the database, on %s', (engine) => {
  let database: TestDatabase
  let product: ChatApp
  let ada: ChatClient
  let calls: readonly ApiCall[]
  let restore = (): void => undefined

  beforeAll(async () => {
    database = await openTestDatabase(engine, { maxWaitMs: 0 })
    product = await openChatApp({
      database,
      environment: {
        CONNECTOR_REGISTRY_URL: 'none',
        SELF_SERVICE: 'on',
        API_KEY_SERVICES: JSON.stringify([{ name: 'search', url: 'http://127.0.0.1:9/mcp' }]),
      },
    })
    ada = await product.join()
    // The first read of the list stores the default connectors.
    await ada.get('/api/mcp-servers')
    calls = (await listApiCalls(product.app)).filter(({ name }) => name !== link)
  })
  afterEach(() => restore())
  afterAll(async () => {
    await product.close()
    await database.close()
  })

  const bodyOf = ({ name }: ApiCall) =>
    name === 'POST /api/account/delete'
      ? { confirmation: ada.user.email, id_token: String(Date.now()) }
      : (bodies[name] ?? {})
  const send = (call: ApiCall) =>
    sendRequest({
      method: call.method,
      url:
        product.base +
        call.path.replace(/\{(place|number)\}/, '0').replaceAll(/\{\w+\}/g, 'search') +
        (queries[call.name] ?? ''),
      headers: {
        host: 'localhost:3000',
        ...ada.headers,
        ...(uploads.has(call.name) && { 'content-type': 'application/octet-stream' }),
      },
      ...(uploads.has(call.name) && { body: 'notes' }),
      ...(call.hasBody && { body: JSON.stringify(bodyOf(call)) }),
    })

  it.each(failures[engine])(
    'has a typed response in every call, and nothing is written: $name',
    async ({ error, status, step }) => {
      const before = await hashTables(database)
      restore = failStatements(engine, error, step)
      const responses: Record<string, number> = {}
      for (const call of calls) {
        const response = await send(call)
        responses[call.name] = response.statusCode
        if (call.name === stream) expect(response.body).toBe('')
        if (call.name === stream || withoutDatabase.has(call.name)) continue
        const code = status === 503 ? 'unavailable' : 'storage_full'
        expect
          .soft(JSON.parse(response.body || 'null'), call.name)
          .toEqual({ error: { code, message: expect.any(String) } })
        expect.soft(response.headers['retry-after']).toBe(status === 503 ? '5' : undefined)
        expect.soft(response.body).not.toMatch(/refused with|ECONN|SQLITE/)
      }
      expect(responses).toEqual(
        Object.fromEntries(
          calls.map(({ name }) => [name, name === stream || withoutDatabase.has(name) ? 200 : status]),
        ),
      )
      const ready = await fetch(`${product.base}/readyz`)
      expect(ready.status).toBe(status)
      restore()
      expect(await hashTables(database)).toEqual(before)
      expect((await fetch(`${product.base}/readyz`)).status).toBe(200)
    },
  )
})
