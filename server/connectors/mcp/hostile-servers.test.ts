import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  ada,
  bob,
  impatientLimits,
  openHostileScene,
  type HostileScene,
} from '../../testing/hostile-mcp/open-hostile-scene.ts'
import { startHostileServer } from '../../testing/hostile-mcp/start-hostile-server.ts'
import { findTarget } from '../../testing/mcp/find-target.ts'
import { openTestConnectors } from '../../testing/mcp/open-test-connectors.ts'
import { requireConnector } from '../connector-store.ts'
import { listModelTools } from '../tools/list-model-tools.ts'
import { refreshTools } from '../tools/refresh-tools.ts'
import { resolveTool } from '../tools/resolve-tool.ts'

let scene: HostileScene

beforeAll(async () => {
  scene = await openHostileScene()
})
afterAll(() => scene.close())

// Bob's calls continue meanwhile, and none of them fails.
beforeEach(() => scene.startBob())
afterEach(() => scene.stopBob())

describe('a hostile server', () => {
  it('times out when it never responds', async () => {
    const impatient = await openHostileScene(impatientLimits)
    try {
      expect(await impatient.connectError('silent')).toMatchObject({ code: 'upstream_timeout' })
      const [row] = await impatient.connectors.database.db
        .selectFrom('connectors')
        .selectAll()
        .where('user_id', '=', 'ada')
        .execute()
      expect(row).toMatchObject({
        status: 'failed',
        error_message: 'The server did not respond in time. Try again later.',
      })
    } finally {
      await impatient.close()
    }
  })

  it.each(['discover-fails', 'discover-resets', 'discover-html'])(
    'is connected with the older handshake when it fails at the newest one (%s)',
    async (behaviour) => {
      expect((await scene.callTo(behaviour)).status).toBe('done')
    },
  )

  it('is connected with the older handshake when it never responds to the newest one', async () => {
    const impatient = await openHostileScene({ connectTimeoutMs: 3_000 })
    expect((await impatient.callTo('discover-hangs')).status).toBe('done')
    await impatient.close()
  })

  it('gets no second MCP request when it refuses access', async () => {
    expect(await scene.connectError('forbidden')).toMatchObject({ code: 'upstream_refused_key' })
    const requests = (await scene.hostile.seen('forbidden')).map(({ rpc }) => rpc)
    // The others ask for metadata.
    expect(requests.filter((method) => method !== '')).toEqual(['server/discover'])
  })

  it.each([
    ['huge-list', '8 MiB'],
    ['huge-initialize', '2 MiB'],
  ])('is refused with a reason when its response never ends (%s)', async (behaviour, limit) => {
    expect(await scene.connectError(behaviour)).toMatchObject({
      code: 'output_limit',
      message: expect.stringContaining(limit) as string,
    })
  })

  it('is refused with a reason when its response ends without its list', async () => {
    expect(await scene.connectError('ended-list')).toMatchObject({
      code: 'upstream_cut',
      message: 'The server ended its response before it sent a result. Try again later.',
    })
  })

  it('loses only the tool with a schema of 2.4 MB, which is named', async () => {
    const name = await scene.connect('huge-schema')
    const tools = await scene.toolsOf(name)
    expect(tools.map((tool) => [tool.name, tool.problem])).toEqual([
      ['before', null],
      ['huge', 'the definition of its parameters is too long'],
      ['after', null],
    ])
    const { notice } = await requireConnector(scene.connectors.database.db, ada, name)
    expect(notice).toContain('"huge" cannot be used')
  })

  it('has a description of 5 MB cut', async () => {
    const [tool] = await scene.toolsOf(await scene.connect('long'))
    expect(tool?.problem).toBeNull()
    expect(tool!.definition.length).toBeLessThan(5_000)
  })

  it('cannot execute code in a schema', async () => {
    const outcome = await scene.callTo('redos', { toolName: 'redos', arguments: { a: `${'a'.repeat(35)}!` } })
    expect(outcome.status).toBe('done')
  })

  it('loses only the tool with an enormous schema', async () => {
    const tools = await scene.toolsOf(await scene.connect('alternatives'))
    expect(tools.map(({ name, problem }) => [name, problem === null])).toEqual([
      ['fine', true],
      ['large', false],
    ])
  })

  it.each(['openai', 'anthropic', 'google'] as const)(
    'has tools with circular or remote references withheld from %s',
    async (apiType) => {
      const name = await scene.connect('reference')
      const { tools, notices, resolve } = await listModelTools(scene.connectors, {
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

  it('is refused when its list has endless pages', async () => {
    expect(await scene.connectError('cursor')).toMatchObject({
      message: expect.stringContaining('20 pages') as string,
    })
    expect(
      (await scene.hostile.seen('cursor')).filter(({ rpc }) => rpc === 'tools/list').length,
    ).toBeLessThanOrEqual(20 * 3)
  })

  it('has only 200 of 20,000 tools stored, with a notice', async () => {
    const name = await scene.connect('many')
    expect(await scene.toolsOf(name)).toHaveLength(200)
    const { notice } = await requireConnector(scene.connectors.database.db, ada, name)
    expect(notice).toContain('first 200')
  })

  it('has none of 900,000 invalid tools stored, with a notice', async () => {
    const name = await scene.connect('zeros')
    expect(await scene.toolsOf(name)).toEqual([])
    const { notice } = await requireConnector(scene.connectors.database.db, ada, name)
    expect(notice).toContain('first 200 of 900,000 tools')
  })

  it('loses only its malformed tools and blocks', async () => {
    const name = await scene.connect('malformed')
    const tools = await scene.toolsOf(name)
    expect(tools.filter(({ problem }) => problem === null).map((tool) => tool.name)).toEqual([
      'fine',
      'proto',
    ])
    const outcome = await scene.call({ connectorName: name, toolName: 'fine' })
    expect(outcome.status).toBe('done')
    expect(outcome.parts).toContainEqual({ type: 'text', text: 'kept' })
    expect({}).not.toHaveProperty('evil')
  })

  it('needs approval again for a changed tool, and the changes are shown', async () => {
    const name = await scene.connect('rug-pull')
    const { db } = scene.connectors.database
    const connector = await requireConnector(db, ada, name)
    const [tool] = await scene.toolsOf(name)
    await db
      .insertInto('tool_permissions')
      .values({
        connector_id: connector.id,
        name: 'send',
        permission: 'allow',
        position: 0,
        fingerprint: tool!.fingerprint,
        definition: tool!.definition,
      })
      .execute()
    const before = await resolveTool(
      scene.connectors,
      ada,
      await findTarget(scene.connectors, ada, name, 'send'),
    )
    expect(before).toMatchObject({ kind: 'callable', decision: { kind: 'run', by: 'listed' } })
    await scene.hostile.nextPhase('rug-pull')
    await refreshTools(scene.connectors, connector)
    const after = await resolveTool(
      scene.connectors,
      ada,
      await findTarget(scene.connectors, ada, name, 'send'),
    )
    expect(after).toMatchObject({
      kind: 'callable',
      decision: {
        kind: 'ask_changed',
        changes: [
          {
            what: 'description',
            before: 'Sends a note.',
            after: expect.stringContaining('all files') as string,
          },
          { what: 'annotations' },
        ],
      },
    })
    const added = await resolveTool(
      scene.connectors,
      ada,
      await findTarget(scene.connectors, ada, name, 'new'),
    )
    expect(added).toMatchObject({ kind: 'callable', decision: { kind: 'ask' } })
    // A call that was allowed before the change is not made with the changed tool.
    const calls = (await scene.hostile.seen('rug-pull')).filter(({ rpc }) => rpc === 'tools/call').length
    const outcome = await scene.call({
      connectorName: name,
      toolName: 'send',
      fingerprint: tool!.fingerprint,
    })
    expect(outcome).toMatchObject({ status: 'failed', text: expect.stringContaining('changed') as string })
    expect((await scene.hostile.seen('rug-pull')).filter(({ rpc }) => rpc === 'tools/call')).toHaveLength(
      calls,
    )
  })

  it('is read a few times when it announces thousands of changes, and no reply waits for it', async () => {
    const name = await scene.connect('list-changed')
    const countLists = async () =>
      (await scene.hostile.seen('list-changed')).filter(({ rpc }) => rpc === 'tools/list').length
    const before = await countLists()
    await scene.call({ connectorName: name })
    const statuses: unknown[] = []
    const options = {
      user: ada,
      apiType: 'openai' as const,
      signal: AbortSignal.timeout(5_000),
      onStatus: (status: unknown) => statuses.push(status),
    }
    // The other connectors of this user were never listed.
    await listModelTools(scene.connectors, options)
    statuses.length = 0
    await vi.waitUntil(async () => (await countLists()) > before)
    await scene.call({ connectorName: name })
    const { tools, resolve } = await listModelTools(scene.connectors, options)
    // The reply has used the stored list and has waited for nothing.
    expect(statuses).toEqual([])
    expect(tools.map((tool) => resolve(tool.name)?.connectorName)).toContain(name)
    // 8,000 announcements.
    expect((await countLists()) - before).toBeLessThan(10)
  })

  it('gets no second request for a call when it has no sessions and returns 404', async () => {
    const name = await scene.connect('gone')
    expect((await scene.call({ connectorName: name })).status).toBe('done')
    expect((await scene.call({ connectorName: name })).status).toBe('failed')
    const calls = (await scene.hostile.seen('gone')).filter(({ rpc }) => rpc === 'tools/call')
    expect(calls).toHaveLength(2)
  })

  it('is called or refused when its session id is enormous', async () => {
    const outcome = await scene.callTo('session')
    expect(['done', 'failed']).toContain(outcome.status)
  })

  it.each(['301', '302', '303', '307', '308'])(
    'is refused when it redirects to another site (%s), which gets no token',
    async (status) => {
      const other = await startHostileServer()
      for (const to of [
        other.url('polite'),
        'http://169.254.169.254/latest',
        'http://10.0.0.1/',
        'file:///etc/passwd',
        'https://example.com/',
      ]) {
        const refusal = await scene.connectError('redirect', { status, to }, 'canary-token-123')
        expect(refusal.code).toBe('address_refused')
        expect(refusal.message).not.toContain('canary')
      }
      expect(await other.seen('polite')).toEqual([])
      await other.close()
    },
  )

  it('is refused when it redirects in a circle', async () => {
    expect((await scene.connectError('redirect')).code).toBe('address_refused')
  })

  it('is refused without a connection when its authorization server has a private address', async () => {
    const canary = await startHostileServer()
    for (const metadata of [
      `${canary.origin}/polite/metadata`,
      'http://169.254.169.254/latest',
      'http://[::1]:9999/',
      `${canary.origin.replace('127.0.0.1', 'localhost')}/polite/metadata`,
    ]) {
      expect(await scene.connectError('unauthorized', { metadata }), metadata).toMatchObject({
        code: 'address_refused',
      })
    }
    expect(await canary.seen('polite')).toEqual([])
    await canary.close()
  })

  it('is not called after the user has stopped', async () => {
    const name = await scene.connect('polite')
    const before = (await scene.hostile.seen('polite')).length
    const outcome = await scene.call({ connectorName: name, signal: AbortSignal.abort() })
    expect(outcome.status).toBe('stopped')
    expect(await scene.hostile.seen('polite')).toHaveLength(before)
  })

  it('does not delay the tools of other servers', async () => {
    const good = await scene.connect('polite')
    await scene.connectors.connect('ada', { name: 'bad', url: scene.hostile.url('polite') })
    await scene.connectors.database.db
      .updateTable('connectors')
      .set({ url: scene.hostile.url('silent'), tools_expire_at: null, era: null, credential_version: 9 })
      .where('name', '=', 'bad')
      .execute()
    const seen: string[] = []
    const { tools, resolve } = await listModelTools(scene.connectors, {
      user: ada,
      apiType: 'openai',
      signal: AbortSignal.timeout(5_000),
      onStatus: ({ status, server, finished }) =>
        seen.push(`${status} ${server}${finished === true ? 'finished' : ''}`),
    })
    expect(tools.map(({ name }) => resolve(name)?.connectorName)).toEqual(
      expect.arrayContaining(['default', good]),
    )
    expect(seen).toEqual(expect.arrayContaining(['connecting bad', `connected ${good}`, 'info bad']))
    expect(seen).not.toContain('connected bad')
    expect(seen.at(-1)).toBe('summary finished')
  })
})

describe('two users with one server', () => {
  it('never share a session, a token or a result', async () => {
    const patient = await openTestConnectors({ database: scene.connectors.database })
    const url = scene.hostile.url('whoami')
    await patient.connect('ada', { name: 'shared', url, token: 'token-of-ada' })
    await patient.connect('bob', { name: 'shared', url, token: 'token-of-bob' })
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const user = index % 2 === 0 ? ada : bob
        const { text } = await patient.callTool({
          user,
          ...(await findTarget(patient, user, 'shared', 'act')),
          arguments: {},
          approval: 'once',
          signal: AbortSignal.timeout(15_000),
        })
        // Reversed by the server, because a repeated credential is removed from its responses.
        return { expected: Array.from(`Bearer token-of-${user.id}`).toReversed().join(''), text }
      }),
    )
    for (const { expected, text } of outcomes) expect(text).toBe(expected)
    await patient.close()
  })
})
