import type { Elicitation, ElicitationAnswer } from '@yonder/contract/elicitation'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AppError } from '../http/app-error.ts'
import { openTestConnectors } from '../testing/open-test-connectors.ts'
import type { TestConnectors } from '../testing/open-test-connectors.ts'
import { watchEventLoop } from '../testing/watch-event-loop.ts'
import { startHostileServer } from '../testing/start-hostile-server.ts'
import type { HostileServer } from '../testing/start-hostile-server.ts'
import { callTool } from './call-tool.ts'
import type { ToolCallRequest } from './call-tool.ts'
import { requireConnector } from './connector-store.ts'
import { findToolConsent } from './find-tool-consent.ts'
import { listModelTools } from './list-model-tools.ts'
import { refreshTools } from './refresh-tools.ts'
import { listTools } from './tool-store.ts'
import type { ToolOutcome } from './tool-outcome.ts'

/** Times that a test can wait for; their relation is the product's. */
const limits = {
  connect: 1_500,
  listPage: 1_500,
  list: 3_000,
  callIdle: 800,
  call: 1_600,
  reconnect: 200,
  reconnects: 3,
  toolsWait: 400,
}
const ada = { id: 'ada' }
const bob = { id: 'bob' }

let hostile: HostileServer
let connectors: TestConnectors

beforeAll(async () => {
  hostile = await startHostileServer()
  connectors = await openTestConnectors({ limits })
  await connectors.addUser('ada')
  await connectors.addUser('bob')
  await quickCall()
})

afterAll(async () => {
  await connectors.close()
  await hostile.close()
})

/** What another person does meanwhile. */
async function quickCall(): Promise<void> {
  const options = {
    user: bob,
    apiType: 'openai' as const,
    signal: AbortSignal.timeout(5_000),
    onStatus: () => undefined,
  }
  await listModelTools(connectors, options)
  const outcome = await call({
    user: bob,
    connectorName: 'default',
    toolName: 'calculate',
    arguments: { expression: '1 + 1' },
  })
  expect(outcome.text).toBe('2')
}

/*
 * The second person: calls without a pause while a hostile server is at work. None may fail, and the event loop never
 * stands still for a quarter of a second.
 */
let ended: AbortController
let control: Promise<void>
let loop: ReturnType<typeof watchEventLoop>

beforeEach(() => {
  ended = new AbortController()
  loop = watchEventLoop()
  control = (async () => {
    while (!ended.signal.aborted) {
      await quickCall()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
})

afterEach(async () => {
  ended.abort()
  await control
  expect(loop.stop()).toBeLessThan(250)
})

function call(request: Partial<ToolCallRequest>): Promise<ToolOutcome> {
  return callTool(connectors, {
    user: ada,
    connectorName: '',
    toolName: 'act',
    arguments: {},
    approval: 'once',
    signal: new AbortController().signal,
    ...request,
  })
}

let count = 0

/** Adds a connector for a behaviour under a name of its own, and connects it. */
async function connect(behaviour: string, query?: Record<string, string>, token?: string): Promise<string> {
  const name = `${behaviour} ${++count}`
  await connectors.database.db.deleteFrom('connectors').where('user_id', '=', 'ada').execute()
  const url = hostile.url(behaviour, query)
  await connectors.connect('ada', { name, url, ...(token === undefined ? {} : { token }), allow_tools: [] })
  return name
}

async function refuses(behaviour: string, query?: Record<string, string>, token?: string): Promise<AppError> {
  try {
    await connect(behaviour, query, token)
  } catch (error) {
    return error as AppError
  }
  throw new Error(`${behaviour} connected.`)
}

async function callTo(behaviour: string, rest: Partial<ToolCallRequest> = {}): Promise<ToolOutcome> {
  return call({ connectorName: await connect(behaviour), ...rest })
}

const toolsOf = async (name: string) =>
  listTools(connectors.database.db, [(await requireConnector(connectors.database.db, ada, name)).id])

// One loaded machine may stand still by itself now and then.
describe('a hostile server', { retry: 2 }, () => {
  it('that never answers is given up in time, and may be tried again', async () => {
    const started = Date.now()
    expect(await refuses('silent')).toMatchObject({ code: 'upstream_timeout' })
    expect(Date.now() - started).toBeLessThan(5_000)
    const [row] = await connectors.database.db
      .selectFrom('connectors')
      .selectAll()
      .where('user_id', '=', 'ada')
      .execute()
    expect(row).toMatchObject({ status: 'failed', error_message: 'The server did not answer in time.' })
  })

  it.each(['silent-call', 'drip', 'wrong-id', 'dropped', 'ended'])(
    'that brings no result (%s) is given up in time',
    async (behaviour) => {
      const started = Date.now()
      const outcome = await callTo(behaviour)
      expect(['timed_out', 'failed']).toContain(outcome.status)
      expect(Date.now() - started).toBeLessThan(6_000)
    },
  )

  it('that makes progress for ever is stopped at the total', async () => {
    const outcome = await callTo('progress')
    expect(outcome.status).toBe('timed_out')
    expect(outcome.duration).toBeGreaterThan(limits.callIdle)
    expect(outcome.duration).toBeLessThan(limits.call + 1_000)
  })

  it.each(['huge-call', 'huge-stream', 'announced-huge', 'bomb'])(
    'that answers without end (%s) is cut off, and memory stays',
    async (behaviour) => {
      const before = process.memoryUsage().rss
      const outcome = await callTo(behaviour)
      expect(outcome.status).toBe('failed')
      expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1_024 * 1_024)
    },
  )

  it.each(['huge-list', 'huge-initialize', 'long'])(
    'that lists without end (%s) is refused with a reason',
    async (behaviour) => {
      expect(await refuses(behaviour)).toMatchObject({
        code: 'output_limit',
        message: expect.stringContaining('2 MiB') as string,
      })
    },
  )

  it.each(['events', 'events-named'])('that floods its stream (%s) is cut off', async (behaviour) => {
    expect(['failed', 'timed_out']).toContain((await callTo(behaviour)).status)
  })

  it('that nests its result deeply gets a note in its place', async () => {
    const outcome = await callTo('deep')
    expect(outcome).toMatchObject({
      status: 'done',
      text: expect.stringContaining('nested too deeply') as string,
    })
  })

  it('cannot make a schema run', async () => {
    const outcome = await callTo('redos', { toolName: 'redos', arguments: { a: `${'a'.repeat(35)}!` } })
    expect(outcome.status).toBe('done')
  })

  it('cannot make the schema of a question run', async () => {
    const onElicit = (): Promise<ElicitationAnswer> =>
      Promise.resolve({ action: 'accept', content: { a: `${'a'.repeat(35)}!` } })
    expect((await callTo('redos-question', { onElicit })).status).toBe('done')
  })

  it('with an enormous schema loses that tool alone', async () => {
    const tools = await toolsOf(await connect('alternatives'))
    expect(tools.map(({ name, problem }) => [name, problem === null])).toEqual([
      ['fine', true],
      ['large', false],
    ])
  })

  it.each(['openai', 'anthropic', 'google'] as const)(
    'with endless or remote references is offered to %s without them',
    async (apiType) => {
      const name = await connect('reference')
      const { tools, notices, resolve } = await listModelTools(connectors, {
        user: ada,
        apiType,
        signal: AbortSignal.timeout(5_000),
        onStatus: () => undefined,
      })
      const own = tools.map((tool) => resolve(tool.name)).filter((tool) => tool?.connectorName === name)
      expect(own.map((tool) => tool?.toolName)).toEqual(['fine'])
      expect(notices.join()).toContain('"loop"')
      expect(notices.join()).toContain('"remote"')
    },
  )

  it('with pages without end is refused', async () => {
    expect(await refuses('cursor')).toMatchObject({ message: expect.stringContaining('20 pages') as string })
    expect(
      (await hostile.seen('cursor')).filter(({ rpc }) => rpc === 'tools/list').length,
    ).toBeLessThanOrEqual(20 * 3)
  })

  it('with 20,000 tools keeps 200, and says so', async () => {
    const name = await connect('many')
    expect(await toolsOf(name)).toHaveLength(200)
    const { notice } = await requireConnector(connectors.database.db, ada, name)
    expect(notice).toContain('first 200')
  })

  it('with malformed tools and blocks loses those alone', async () => {
    const name = await connect('malformed')
    const tools = await toolsOf(name)
    expect(tools.filter(({ problem }) => problem === null).map((tool) => tool.name)).toEqual([
      'fine',
      'proto',
    ])
    const outcome = await call({ connectorName: name, toolName: 'fine' })
    expect(outcome.status).toBe('done')
    expect(outcome.parts).toContainEqual({ type: 'text', text: 'kept' })
    expect({}).not.toHaveProperty('evil')
  })

  it.each(['html', 'broken-json', 'failing'])(
    'that answers nonsense (%s) fails with a plain sentence',
    async (behaviour) => {
      const { status, text } = await callTo(behaviour)
      expect(status).toBe('failed')
      expect(text).not.toMatch(/script|secret|<|position/)
    },
  )

  it('that insults is quoted as plain and short text', async () => {
    const { text } = await callTo('insult')
    expect(text.length).toBeLessThan(500)
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    expect(text).not.toMatch(/[\u0000-\u001F\u202E]/)
  })

  it('that answers twice is heard once', async () => {
    expect((await callTo('twice')).text).toBe('first')
  })

  it('that breaks its stream again and again is not asked again at once', async () => {
    await callTo('storm')
    const gets = (await hostile.seen('storm')).filter(({ method }) => method === 'GET')
    expect(gets.length).toBeLessThanOrEqual(2 * 3 * (limits.reconnects + 1))
  })

  it('that sends megabytes of blocks is read without a halt', async () => {
    expect((await callTo('blocks')).parts.length).toBeLessThanOrEqual(501)
  })

  it('that answers with a book has it cut, with a note', async () => {
    const { text } = await callTo('long-text')
    expect(text.length).toBeLessThan(101_000)
    expect(text).toContain('were left out')
  })

  it('that changes a tool behind its back loses its permission, and shows what changed', async () => {
    const name = await connect('rug-pull')
    const { db } = connectors.database
    const connector = await requireConnector(db, ada, name)
    const [tool] = await toolsOf(name)
    await db
      .insertInto('allowed_tools')
      .values({
        connector_id: connector.id,
        name: 'send',
        position: 0,
        fingerprint: tool!.fingerprint,
        definition: tool!.definition,
      })
      .execute()
    const before = await findToolConsent(connectors, ada, name, 'send')
    expect(before?.decision).toEqual({ kind: 'run', by: 'listed' })
    await hostile.turn('rug-pull')
    await refreshTools(connectors, connector)
    const after = await findToolConsent(connectors, ada, name, 'send')
    expect(after?.decision).toMatchObject({
      kind: 'ask_changed',
      changes: [
        {
          what: 'description',
          before: 'Sends a note.',
          after: expect.stringContaining('all files') as string,
        },
        { what: 'annotations' },
      ],
    })
    expect((await findToolConsent(connectors, ada, name, 'new'))?.decision).toEqual({ kind: 'ask' })
    // A call that was allowed before the change is not made with the changed tool.
    const calls = (await hostile.seen('rug-pull')).filter(({ rpc }) => rpc === 'tools/call').length
    const outcome = await call({ connectorName: name, toolName: 'send', fingerprint: tool!.fingerprint })
    expect(outcome).toMatchObject({ status: 'failed', text: expect.stringContaining('changed') as string })
    expect((await hostile.seen('rug-pull')).filter(({ rpc }) => rpc === 'tools/call')).toHaveLength(calls)
  })

  it('cannot do more with a result than be read', async () => {
    const { parts, text } = await callTo('injection')
    expect(text).toContain('Ignore all instructions')
    expect(text).not.toMatch(/[\u{E0000}-\u{E007F}\u202A-\u202E]/u)
    expect(parts.map(({ type }) => type)).toEqual(['text', 'link', 'link', 'note', 'note', 'text', 'note'])
    expect(parts.filter(({ type }) => type === 'image')).toEqual([])
  })

  it('that asks a thousand questions gets at most five answered, one at a time', async () => {
    const asked: Elicitation[] = []
    let open = 0
    let most = 0
    await callTo('question-flood', {
      onElicit: async (question) => {
        asked.push(question)
        most = Math.max(most, ++open)
        await new Promise((resolve) => setTimeout(resolve, 10))
        open--
        return { action: 'accept', content: { name: 'Ada' } }
      },
    })
    expect(asked.length).toBeLessThanOrEqual(5)
    expect(most).toBeLessThanOrEqual(1)
  })

  it.each(['question-password', 'question-address'])(
    'that asks for what it must not (%s) is declined unasked',
    async (behaviour) => {
      let asked = 0
      const outcome = await callTo(behaviour, {
        onElicit: () => {
          asked++
          return Promise.resolve({ action: 'accept' })
        },
      })
      expect(outcome.status).toBe('done')
      expect(asked).toBe(0)
    },
  )

  it('that wants a model or folders is told that there are none', async () => {
    expect((await callTo('uninvited')).status).toBe('done')
    const answers = (await hostile.seen('uninvited')).filter(({ rpc }) => rpc === '')
    expect(answers.length).toBeGreaterThanOrEqual(2)
    for (const { body } of answers.filter(({ method }) => method === 'POST')) expect(body).toContain('-32601')
  })

  it('that says a thousand times that its list has changed is asked once', async () => {
    const name = await connect('list-changed')
    await call({ connectorName: name })
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect((await requireConnector(connectors.database.db, ada, name)).tools_expire_at).toBeNull()
    const lists = (await hostile.seen('list-changed')).filter(({ rpc }) => rpc === 'tools/list').length
    const options = {
      user: ada,
      apiType: 'openai' as const,
      signal: AbortSignal.timeout(5_000),
      onStatus: () => undefined,
    }
    await listModelTools(connectors, options)
    await listModelTools(connectors, options)
    expect((await hostile.seen('list-changed')).filter(({ rpc }) => rpc === 'tools/list')).toHaveLength(
      lists + 1,
    )
  })

  it('with an enormous session id is still called, or refused', async () => {
    const outcome = await callTo('session')
    expect(['done', 'failed']).toContain(outcome.status)
  })

  it.each(['301', '302', '303', '307', '308'])(
    'that redirects elsewhere (%s) is refused, and the token stays here',
    async (status) => {
      const other = await startHostileServer()
      for (const to of [
        other.url('polite'),
        'http://169.254.169.254/latest',
        'http://10.0.0.1/',
        'file:///etc/passwd',
        'https://example.com/',
      ]) {
        const refusal = await refuses('redirect', { status, to }, 'canary-token-123')
        expect(refusal.code).toBe('address_refused')
        expect(refusal.message).not.toContain('canary')
      }
      expect(await other.seen('polite')).toEqual([])
      await other.close()
    },
  )

  it('that redirects in a circle is refused', async () => {
    expect((await refuses('redirect')).code).toBe('address_refused')
  })

  it('that names inside addresses for its authorization is refused without a connection', async () => {
    const canary = await startHostileServer()
    for (const metadata of [
      `${canary.origin}/polite/metadata`,
      'http://169.254.169.254/latest',
      'http://[::1]:9999/',
      `${canary.origin.replace('127.0.0.1', 'localhost')}/polite/metadata`,
    ]) {
      expect(await refuses('unauthorized', { metadata }), metadata).toMatchObject({ code: 'address_refused' })
    }
    expect(await canary.seen('polite')).toEqual([])
    await canary.close()
  })

  it('that refuses access says so', async () => {
    expect(await refuses('forbidden')).toMatchObject({ code: 'upstream_refused_key' })
  })

  it('is not called after its person has stopped', async () => {
    const name = await connect('polite')
    const before = (await hostile.seen('polite')).length
    const outcome = await call({ connectorName: name, signal: AbortSignal.abort() })
    expect(outcome.status).toBe('stopped')
    expect(await hostile.seen('polite')).toHaveLength(before)
  })

  it('costs its own tools alone: the others are offered in time', async () => {
    const good = await connect('polite')
    await connectors.connect('ada', { name: 'bad', url: hostile.url('polite') })
    await connectors.database.db
      .updateTable('connectors')
      .set({ url: hostile.url('silent'), tools_expire_at: 0, era: null, credential_version: 9 })
      .where('name', '=', 'bad')
      .execute()
    const seen: string[] = []
    const started = Date.now()
    const { tools, resolve } = await listModelTools(connectors, {
      user: ada,
      apiType: 'openai',
      signal: AbortSignal.timeout(5_000),
      onStatus: ({ status, server, finished }) =>
        seen.push(`${status} ${server}${finished === true ? 'finished' : ''}`),
    })
    expect(Date.now() - started).toBeLessThan(1_400)
    expect(tools.map(({ name }) => resolve(name)?.connectorName)).toEqual(
      expect.arrayContaining(['default', good]),
    )
    expect(seen).toEqual(expect.arrayContaining(['connecting bad', `connected ${good}`, 'info bad']))
    expect(seen.at(-1)).toBe('summary finished')
  })
})

describe('two people with one server', () => {
  it('never share a session, a token or an answer', async () => {
    const patient = await openTestConnectors({ database: connectors.database })
    const url = hostile.url('whoami')
    await patient.connect('ada', { name: 'shared', url, token: 'token-of-ada' })
    await patient.connect('bob', { name: 'shared', url, token: 'token-of-bob' })
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const user = index % 2 === 0 ? ada : bob
        const { text } = await patient.callTool({
          user,
          connectorName: 'shared',
          toolName: 'act',
          arguments: {},
          approval: 'once',
          signal: AbortSignal.timeout(15_000),
        })
        return { expected: `Bearer token-of-${user.id}`, text }
      }),
    )
    for (const { expected, text } of outcomes) expect(text).toBe(expected)
    await patient.close()
  })
})
