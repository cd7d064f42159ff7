import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { engines } from '../../testing/database/test-database.ts'
import { findTarget } from '../../testing/mcp/find-target.ts'
import { openTestConnectors, type TestConnectors } from '../../testing/mcp/open-test-connectors.ts'
import {
  startStatefulMcpServer,
  type LostAnswer,
  type PendingCall,
  type StatefulMcpServer,
} from '../../testing/mcp/stateful-mcp-server.ts'
import { connectConnector } from '../connect-connector.ts'
import { requireConnector } from '../connector-store.ts'
import { createConsentRequest } from '../oauth/consent-request.ts'
import { callTool, type ToolCallRequest } from './call-tool.ts'

const ada = { id: 'ada' }
const lost = /^\[The server's session of this chat was lost, so this call ran in a new one/
const unknown =
  'The outcome is unknown: the tool may or may not have finished. Check, or ask the user, before you call it again.'

const error = (code: number, message: string) => (id: unknown) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})
const answers: readonly (readonly [string, LostAnswer])[] = [
  ['404 of the SDK', (id) => ({ status: 404, body: error(-32_001, 'Session not found')(id) })],
  ['404 without a body', () => ({ status: 404, body: '' })],
  ['404 of a proxy', () => ({ status: 404, body: '<html>Not Found</html>' })],
  ['410', () => ({ status: 410, body: 'Gone' })],
  [
    '400 of the SDK',
    () => ({ status: 400, body: error(-32_000, 'Bad Request: Server not initialized')(null) }),
  ],
  ['400 of Python', () => ({ status: 400, body: 'Bad Request: No valid session ID provided' })],
  ['409', () => ({ status: 409, body: { message: 'Invalid session' } })],
  ['422', () => ({ status: 422, body: { detail: 'unknown session' } })],
  ['500 with the id', (id) => ({ status: 500, body: error(-32_603, 'Session expired')(id) })],
  ['503', () => ({ status: 503, body: 'The session has ended' })],
  ['200 with -32001', (id) => ({ status: 200, body: error(-32_001, 'Session not found')(id) })],
  ['200 with -32000', (id) => ({ status: 200, body: error(-32_000, 'Server not initialized')(id) })],
  ['200 with -32600', (id) => ({ status: 200, body: error(-32_600, 'Session terminated')(id) })],
  ['200 with -32002', (id) => ({ status: 200, body: error(-32_002, 'Initialize the connection first')(id) })],
]

describe.each(engines)('the sessions of chats, on %s', (engine) => {
  let server: StatefulMcpServer
  let connectors: TestConnectors

  beforeEach(async () => {
    server = await startStatefulMcpServer()
    connectors = await openTestConnectors({
      engine,
      limits: { maxCallIdleMs: 1_500, maxSessionsPerUser: 3, maxIdleMs: 1, maxCallBytes: 4 * 1_048_576 },
    })
    await connectors.addUser('ada')
    await connectors.connect('ada', { name: 'state', url: server.url, allow_tools: null })
    server.seen.length = 0
  })
  afterEach(async () => {
    await connectors.close()
    await server.close()
  })

  const call = async (chatId: string, value?: string, rest: Partial<ToolCallRequest> = {}) =>
    callTool(connectors, {
      user: ada,
      ...(await findTarget(connectors, ada, 'state', 'remember')),
      arguments: value === undefined ? {} : { value },
      approval: 'no_list',
      signal: new AbortController().signal,
      chatId,
      ...rest,
    })
  const countCalls = () => server.seen.filter(({ message }) => message.method === 'tools/call').length
  const rowOf = () => requireConnector(connectors.database.db, ada, 'state')

  it('are not mixed when two chats call at once, again and again', async () => {
    await Promise.all([call('a', 'page of a'), call('b', 'page of b')])
    for (let round = 0; round < 3; round++) {
      const [a, b] = await Promise.all([call('a', 'page of a'), call('b', 'page of b')])
      expect([a.text, b.text]).toEqual(['before: page of a', 'before: page of b'])
    }
    expect(server.seen.filter(({ message }) => message.method === 'initialize')).toHaveLength(2)
  })

  it('are kept without a time limit, and separate from the one that lists tools', async () => {
    await call('a', 'one')
    // Longer than `maxIdleMs`, in which connections without a chat are closed.
    await vi.waitFor(() => expect(server.sessions.size).toBe(1))
    expect((await call('a')).text).toBe('before: one')
    const used = server.seen
      .filter(({ message }) => message.method === 'tools/list')
      .map(({ session }) => session)
    expect(used).not.toContain([...server.sessions.keys()][0])
  })

  it('run the calls of two tabs one after the other', async () => {
    const pending: PendingCall[] = []
    server.behaviour.call = (each) => pending.push(each) > 0
    const calls = [call('a'), call('a')]
    await vi.waitFor(() => expect(pending).toHaveLength(1))
    pending[0]?.end('first')
    await vi.waitFor(() => expect(pending).toHaveLength(2))
    pending[1]?.end('second')
    const outcomes = await Promise.all(calls)
    expect(outcomes.map(({ text }) => text).sort()).toEqual(['first', 'second'])
    expect(pending[0]?.session).toBe(pending[1]?.session)
  })

  it.each<[string, (pending: PendingCall) => void]>([
    [
      'a JSON-RPC error',
      ({ message, send }) => send({ id: message.id, error: { code: -32_603, message: 'No' } }),
    ],
    [
      'a JSON-RPC error about a session of the tool itself',
      ({ message, send }) =>
        send({ id: message.id, error: { code: -32_000, message: 'Login session expired' } }),
    ],
    [
      'a result with isError',
      ({ message, send }) => send({ id: message.id, result: { content: [], isError: true } }),
    ],
    ['an invalid result', ({ message, send }) => send({ id: message.id, result: 7 })],
    ['silence', () => undefined],
    [
      'a stream that ends',
      ({ send, response }) => (send({ method: 'notifications/message' }), response.end()),
    ],
    [
      'a broken stream',
      ({ send, response }) => (send({ method: 'notifications/message' }), response.destroy()),
    ],
    ['status 500', ({ response }) => response.writeHead(500).end('No')],
    [
      'status 500 about a session of the tool',
      ({ response }) => response.writeHead(500).end('Browser session gone'),
    ],
    [
      'status 400 about a session of the tool',
      ({ response }) => response.writeHead(400).end('bad session cookie'),
    ],
    ['status 404 for a missing record', ({ response }) => response.writeHead(404).end('no such record')],
    ['status 429', ({ response }) => response.writeHead(429).end()],
    ['status 202', ({ response }) => response.writeHead(202).end()],
    [
      'a page that is no MCP',
      ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    ],
    ['a broken connection', ({ response }) => response.destroy()],
  ])('survive %s', async (_, misbehave) => {
    await call('a', 'one')
    server.behaviour.call = (pending) => (misbehave(pending), true)
    expect((await call('a')).status).not.toBe('done')
    server.behaviour.call = () => false
    expect((await call('a')).text).toBe('before: one')
    expect(countCalls()).toBe(3)
  })

  it.each(answers)(
    'that the server has lost are replaced, and user and model read it (%s)',
    async (_, lostAnswer) => {
      server.behaviour.lostAnswer = lostAnswer
      await call('a', 'one')
      server.forget()
      const outcome = await call('a', 'two')
      expect(outcome.status).toBe('done')
      expect(outcome.text).toMatch(lost)
      expect(outcome.parts).toMatchObject([{ type: 'note' }, { type: 'text', text: 'before: ' }])
      expect((await call('a')).text).toBe('before: two')
    },
  )

  it('whose tool ends the session with its error are not given the call again', async () => {
    server.behaviour.lostAnswer = (id) => ({ status: 200, body: error(-32_001, 'Session not found')(id) })
    await call('a', 'one')
    server.behaviour.call = ({ message, send, response }) => {
      server.forget()
      send({ id: message.id, error: { code: -32_000, message: 'The browser session crashed' } })
      response.end()
      return true
    }
    const crashed = await call('a')
    expect(crashed.text).toContain('The browser session crashed')
    expect(countCalls()).toBe(2)
    server.behaviour.call = () => false
    expect((await call('a')).text).toMatch(lost)
  })

  it('say that they were lost for every other cause too', async () => {
    await call('a', 'one')
    // The user connects again.
    await connectConnector(connectors, await rowOf(), createConsentRequest('/settings/connectors'))
    expect((await call('a', 'two')).text).toMatch(lost)
    // More chats than sessions are kept, and the longest unused one goes.
    for (const chat of ['b', 'c', 'd']) expect((await call(chat)).text).toBe('before: ')
    expect((await call('a')).text).toMatch(lost)
    expect((await call('d')).text).toBe('before: ')
    // Another process, such as another node, or this one after a restart.
    const other = await openTestConnectors({ database: connectors.database })
    const target = await findTarget(connectors, ada, 'state', 'remember')
    const elsewhere = await callTool(other, {
      user: ada,
      ...target,
      arguments: {},
      approval: 'no_list',
      signal: new AbortController().signal,
      chatId: 'd',
    })
    expect(elsewhere.text).toMatch(lost)
    await other.close()
  })

  it('are closed at the server when they are not kept, when the connector is disconnected, and at shutdown', async () => {
    for (const chat of ['a', 'b', 'c', 'd']) await call(chat)
    await vi.waitFor(() => expect(server.sessions.size).toBe(3))
    await connectors.shared.pool.drop('ada ')
    expect(server.sessions.size).toBe(0)
    await call('a')
    await connectors.close()
    expect(server.sessions.size).toBe(0)
  })

  it('are not used any more when the connector was disconnected during a call', async () => {
    let pending: PendingCall | undefined
    server.behaviour.call = (each) => ((pending = each), true)
    const running = call('a', 'one')
    await vi.waitFor(() => expect(pending).toBeDefined())
    await connectors.shared.pool.drop('ada ')
    pending?.end('done')
    await running
    await vi.waitFor(() => expect(server.sessions.size).toBe(0))
  })

  it('are nothing that a server without sessions speaks of', async () => {
    server.behaviour.hasSessions = false
    await call('a')
    await connectConnector(connectors, await rowOf(), createConsentRequest('/settings/connectors'))
    expect((await call('a')).text).toBe('before: ')
  })

  describe.each([true, false])('a stopped call, with a session: %s', (hasSessions) => {
    beforeEach(async () => {
      server.behaviour.hasSessions = hasSessions
      await connectConnector(connectors, await rowOf(), createConsentRequest('/settings/connectors'))
      server.seen.length = 0
    })

    it('is cancelled at the server before its response is closed, and leaves the outcome open', async () => {
      let pending: PendingCall | undefined
      let closedAt = 0
      let cancelledAt = 0
      let order = 0
      server.behaviour.call = (each) => {
        pending = each
        each.response.on('close', () => (closedAt = ++order))
        return true
      }
      server.behaviour.beforeCancel = async () => {
        await new Promise((resolve) => setTimeout(resolve, 50))
        cancelledAt = ++order
      }
      const stop = new AbortController()
      const onSend = vi.fn<() => void>()
      const stopped = call('a', 'one', { signal: stop.signal, onSend })
      await vi.waitFor(() => expect(pending).toBeDefined())
      expect(onSend).toHaveBeenCalledTimes(1)
      stop.abort()
      const outcome = await stopped
      expect(outcome).toMatchObject({ status: 'stopped', text: `The call was stopped. ${unknown}` })
      await vi.waitFor(() => expect(closedAt).toBe(2))
      expect(cancelledAt).toBe(1)
      const cancelled = server.seen.filter(({ message }) => message.method === 'notifications/cancelled')
      expect(cancelled).toMatchObject([{ message: { params: { requestId: pending?.message.id } } }])
      expect(cancelled[0]?.session).toBe(pending?.session)
    })

    it('sends nothing late to the next call of its chat', async () => {
      let old: PendingCall | undefined
      server.behaviour.call = (each) => ((old = each), true)
      const stop = new AbortController()
      const stopped = call('a', 'one', { signal: stop.signal })
      await vi.waitFor(() => expect(old).toBeDefined())
      old?.send({ method: 'notifications/message', params: { level: 'info', data: '' } })
      stop.abort()
      await stopped
      let next: PendingCall | undefined
      server.behaviour.call = (each) => ((next = each), true)
      const progress: unknown[] = []
      const onElicit = vi.fn<NonNullable<ToolCallRequest['onElicit']>>()
      const second = call('a', 'two', { onProgress: (each) => progress.push(each), onElicit })
      await vi.waitFor(() => expect(next).toBeDefined())
      // The first call goes on at the server, and is heard on its own stream or, within a session, on the next one.
      for (const stream of hasSessions ? [old, next] : [old]) {
        const progressToken = old?.message.params?.['_meta']?.progressToken
        stream?.send({ method: 'notifications/progress', params: { progressToken, progress: 1 } })
        stream?.send({ id: old?.message.id, result: { content: [{ type: 'text', text: 'late' }] } })
      }
      old?.send({ id: 's1', method: 'elicitation/create', params: { message: 'Late?', requestedSchema: {} } })
      next?.end('own')
      expect((await second).text).toBe('own')
      expect(progress).toEqual([])
      expect(onElicit).not.toHaveBeenCalled()
    })
  })

  it('is not sent when it is stopped before: while another call runs, or while the server is connected', async () => {
    let first: PendingCall | undefined
    server.behaviour.call = (each) => ((first = each), true)
    const running = call('a')
    await vi.waitFor(() => expect(first).toBeDefined())
    const stop = new AbortController()
    const queued = call('a', 'two', { signal: stop.signal })
    stop.abort()
    const text = 'The call was stopped before it was sent, so the tool was not called.'
    expect(await queued).toMatchObject({ status: 'stopped', text })
    first?.end('done')
    await running
    const early = await call('b', 'two', { signal: AbortSignal.abort() })
    expect(early).toMatchObject({ status: 'stopped', text })
    expect(countCalls()).toBe(1)
  })

  it('keeps the code, the data and 2,000 characters of an error of the server for the model', async () => {
    server.behaviour.call = ({ message, send, response }) => {
      const words = 'word '.repeat(350)
      send({
        id: message.id,
        error: { code: -32_099, message: words, data: { hint: 'use /v2', rows: [1, null] } },
      })
      response.end()
      return true
    }
    const outcome = await call('a')
    expect(outcome.text).toContain('word '.repeat(349))
    expect(outcome.text).toContain('-32099')
    expect(outcome.text).toContain('{"hint":"use /v2","rows":[1,null]}')
    expect(outcome.parts).toMatchObject([
      { type: 'note', text: expect.not.stringContaining('hint') as string },
    ])
  })

  const mebibyte = 1_048_576
  const content = (...texts: string[]) => ({ content: texts.map((text) => ({ type: 'text', text })) })
  it.each<[string, unknown, RegExp]>([
    ['one huge block', content('start' + 'x'.repeat(5 * mebibyte)), /^startx/],
    ['many blocks', content('start', ...Array.from({ length: 200 }, () => 'y'.repeat(30_000))), /^start/],
    ['many escapes', content('start' + '\n'.repeat(3 * mebibyte)), /^start/],
    [
      'a huge image after a text',
      {
        content: [
          { type: 'text', text: 'start' },
          { type: 'image', mimeType: 'image/png', data: 'A'.repeat(6 * mebibyte) },
        ],
      },
      /^start/,
    ],
    [
      'structured content',
      {
        ...content('start'),
        structuredContent: { rows: Array.from({ length: 400_000 }, (_, at) => `row ${at}`) },
      },
      /^start/,
    ],
  ])('cuts a result over the byte limit, and says so: %s', async (_, result, begins) => {
    // Reading it takes longer than the short limit of these tests.
    await connectors.database.db.updateTable('connectors').set({ time_limit: 20 }).execute()
    for (const isStream of [false, true]) {
      await call('a', 'one')
      server.behaviour.call = ({ message, send, response }) => {
        if (isStream) send({ id: message.id, result })
        else response.writeHead(200, { 'content-type': 'application/json' })
        response.end(isStream ? '' : JSON.stringify({ result, id: message.id, jsonrpc: '2.0' }))
        return true
      }
      const outcome = await call('a')
      const said =
        'The result is larger than 4 MiB. Only its first 4 MiB were read, and the rest was cut off.'
      expect(outcome.status).toBe('done')
      expect(outcome.text).toMatch(begins)
      expect(outcome.text).toContain(said)
      expect(outcome.parts.at(-1)).toEqual({ type: 'note', text: said })
      server.behaviour.call = () => false
      expect((await call('a')).text).toBe('before: one')
    }
  })

  it.each([
    ['without headers', null, `The connector "keyed" needs the user's authorization. Connect it`],
    [
      'with headers',
      [{ name: 'X-API-Key', value: 'key-0123456789' }],
      'The server of the connector "keyed" refused access. Check its headers, or connect it,',
    ],
  ])('quotes a server that refuses a call with a plain 401, %s', async (_, headers, advice) => {
    await connectors.connect('ada', { name: 'keyed', url: server.url, allow_tools: null, headers })
    const keyed = await findTarget(connectors, ada, 'keyed', 'remember')
    server.behaviour.call = ({ response }) => {
      response.writeHead(401).end('The key has expired')
      return true
    }
    expect((await call('a', 'one', keyed)).text).toBe(
      `${advice} under Settings, Connectors, then try again. The server says: “The key has expired”`,
    )
    expect((await requireConnector(connectors.database.db, ada, 'keyed')).error_message).toContain(
      'The server says: “The key has expired”',
    )
  })

  it.each([false, true])(
    'cuts an error over the byte limit, and keeps the session (stream: %s)',
    async (isStream) => {
      await connectors.database.db.updateTable('connectors').set({ time_limit: 20 }).execute()
      await call('a', 'one')
      server.behaviour.call = ({ message, send, response }) => {
        const failed = { code: -32_050, message: `no such table ${'x'.repeat(5_000_000)}` }
        if (isStream) send({ id: message.id, error: failed })
        else response.writeHead(200, { 'content-type': 'application/json' })
        response.end(isStream ? '' : JSON.stringify({ jsonrpc: '2.0', id: message.id, error: failed }))
        return true
      }
      const outcome = await call('a')
      expect(outcome.status).toBe('failed')
      expect(outcome.text).toContain('[Error -32050: no such table xxx')
      server.behaviour.call = () => false
      expect((await call('a')).text).toBe('before: one')
    },
  )

  it('does not count messages about progress as part of the result', async () => {
    await connectors.database.db.updateTable('connectors').set({ time_limit: 20 }).execute()
    server.behaviour.call = (pending) => {
      const progressToken = pending.message.params?.['_meta']?.progressToken
      for (let progress = 1; progress <= 900; progress++)
        pending.send({
          method: 'notifications/progress',
          params: { progressToken, progress, message: 'z'.repeat(3_900) },
        })
      pending.end('x'.repeat(3 * mebibyte))
      return true
    }
    const progress: number[] = []
    const outcome = await call('a', undefined, { onProgress: (each) => progress.push(each.progress) })
    expect(outcome.text).toMatch(/^x{100000}\n\[3,045,728 more characters were omitted\.\]$/)
    expect(progress.at(-1)).toBe(900)
  })

  it('waits as long as its connector says for a silent tool', async () => {
    const { db } = connectors.database
    await db.updateTable('connectors').set({ time_limit: 20 }).where('name', '=', 'state').execute()
    server.behaviour.call = (pending) => (setTimeout(() => pending.end('late'), 2_200), true)
    expect((await call('a')).text).toBe('late')
    await db.updateTable('connectors').set({ time_limit: null }).where('name', '=', 'state').execute()
    expect((await call('a')).status).toBe('timed_out')
  })

  it('says after a time-out that the outcome is unknown, and keeps the session', async () => {
    await call('a', 'one')
    server.behaviour.call = () => true
    expect(await call('a')).toMatchObject({ status: 'timed_out', text: `The tool took too long. ${unknown}` })
    expect(server.seen.some(({ message }) => message.method === 'notifications/cancelled')).toBe(true)
    server.behaviour.call = () => false
    expect((await call('a')).text).toBe('before: one')
  })
})
