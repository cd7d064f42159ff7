import { ConnectorList } from '@yonder/contract/connector'
import { type Grant, GrantList, Grant as GrantForm } from '@yonder/contract/grant'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openLiveStream } from '../../testing/chat/open-live-stream.ts'
import { hashTables } from '../../testing/database/hash-tables.ts'
import { engines } from '../../testing/database/test-database.ts'
import { addChat } from '../../testing/factories/chats.ts'
import { startChangingMcpServer, type ChangingMcpServer } from '../../testing/mcp/changing-mcp-server.ts'
import { createRequestClient, injected, type RequestClient } from '../../testing/send-request.ts'
import { openTestApp, type TestApp, type TestClient } from '../../testing/test-app.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

describe.each(engines)('permissions on %s', (engine) => {
  let now = Date.parse('2026-11-29')
  let test: TestApp
  let limited: TestApp
  let server: ChangingMcpServer
  let ada: TestClient

  beforeAll(async () => {
    server = await startChangingMcpServer()
    const { host } = new URL(server.url)
    test = await openTestApp({ engine, deps: { now: () => now } })
    limited = await openTestApp({
      database: test.database,
      deps: { now: () => now, identity: test.deps.identity },
      environment: {
        TOOLS_ALWAYS_ASK: `${host}/act`,
        TOOLS_BLOCKED: `${host}/drop*`,
        MAX_GRANT_HOURS: '2',
      },
    })
  })
  beforeEach(async () => {
    server.tools = ['act', 'drop', 'read'].map((name) => ({ name, description: `Does ${name}.` }))
    ada = await test.signIn('Ada')
    await ada.post('/api/bot', { name: 'Owl', model: 'm' })
  })
  afterAll(async () => {
    await limited.close()
    await test.close()
    await server.close()
  })

  const steps = (client: RequestClient = ada) => ({
    client,
    async connect(name: string, fields: object = {}) {
      await client.post('/api/mcp-server', { name, url: server.url, allow_tools: [], ...fields })
      const connected = await client.post(`/api/mcp-server/${name}/connect`)
      if (connected.statusCode !== 200) throw new Error(connected.body)
    },
    refresh: (name: string) => client.post(`/api/mcp-server/${name}/connect`),
    allow: (name: string, tool: string, permission = 'allow') =>
      client.patch(`/api/mcp-server/${name}`, { tools: [{ name: tool, permission }] }),
    async create(name: string, tool: string, fields: object) {
      const row = await test.database.db
        .selectFrom('connector_tools as t')
        .innerJoin('connectors as c', 'c.id', 't.connector_id')
        .select('t.fingerprint')
        .where('c.user_id', '=', ada.user.id)
        .where('c.name', '=', name)
        .where('t.name', '=', tool)
        .executeTakeFirst()
      return client.post('/api/grants', {
        server: name,
        tool,
        fingerprint: row?.fingerprint ?? '',
        ...fields,
      })
    },
    list: async () => GrantList.parse((await client.get('/api/grants')).json()),
    async idOf(name: string) {
      const row = await test.database.db
        .selectFrom('connectors')
        .select('id')
        .where('user_id', '=', ada.user.id)
        .where('name', '=', name)
        .executeTakeFirstOrThrow()
      return row.id
    },
  })
  /** The steps at the server with ceilings. */
  const within = () => steps(createRequestClient(injected(limited.app), ada.headers))

  it('lists lists and grants by connector and tool, with their limits, uses, and what was used last', async () => {
    const { connect, create, list, allow } = steps()
    await connect('B')
    await connect('A', { allow_tools: null })
    await addChat(test.database.db, { id: `chat-${engine}`, user_id: ada.user.id, title: 'Owls' })
    await allow('B', 'read')
    await allow('B', 'drop', 'block')
    const rule = { argument: 'repository', test: 'begins', value: 'yonder/' } as const
    const created = await create('B', 'act', { bot: 'Owl', chatId: `chat-${engine}`, minutes: 60, rule })
    expect(created.statusCode).toBe(201)
    const grant = GrantForm.parse(created.json())
    expect(grant).toEqual({
      id: expect.any(String) as string,
      permission: 'allow',
      server: 'B',
      url: server.url,
      tool: 'act',
      title: null,
      limits: {
        bot: 'Owl',
        chat_id: `chat-${engine}`,
        ends_at: new Date(now + hourMs).toISOString(),
        rule,
      },
      chat_title: 'Owls',
      created_at: new Date(now).toISOString(),
      used_at: null,
      uses: 0,
    })
    const { grants, unlimited, max_hours } = await list()
    expect(grants.map(({ tool, permission }) => [tool, permission])).toEqual([
      ['act', 'allow'],
      ['drop', 'block'],
      ['read', 'allow'],
    ])
    expect(grants[0]).toEqual(grant)
    expect(grants[2]).toMatchObject({ limits: {}, created_at: new Date(now).toISOString(), uses: 0 })
    expect({ unlimited, max_hours }).toEqual({ unlimited: ['A'], max_hours: null })
  })

  it('renews an equal grant, and keeps others apart', async () => {
    const { connect, create, list } = steps()
    await connect('C')
    const first = (await create('C', 'act', { minutes: 60 })).json<Grant>()
    now += 10 * 60_000
    const second = (await create('C', 'act', { minutes: 60 })).json<Grant>()
    expect(second).toMatchObject({
      id: first.id,
      created_at: new Date(now).toISOString(),
      limits: { ends_at: new Date(now + hourMs).toISOString() },
    })
    await create('C', 'act', { bot: 'Owl' })
    await create('C', 'act', { bot: 'Owl', minutes: 60 })
    expect((await list()).grants).toHaveLength(3)
    const both = await Promise.all([1, 2, 3].map(() => create('C', 'read', { minutes: 5 })))
    expect(new Set(both.map((each) => each.json<Grant>().id)).size).toBe(1)
    expect((await list()).grants).toHaveLength(4)
  })

  it.each<[string, object, number, string]>([
    ['no limit', {}, 400, 'needs at least one: bot, chatId, minutes, or rule'],
    ['no time', { minutes: 0 }, 400, 'minutes'],
    ['a part of a minute', { minutes: 1.5 }, 400, 'minutes'],
    ['more than a year', { minutes: 525_601 }, 400, 'minutes'],
    ['another fingerprint', { minutes: 5, fingerprint: 'old' }, 409, 'has changed since you saw it'],
    ['an unknown tool', { minutes: 5, tool: 'gone' }, 409, 'no longer has the tool "gone"'],
    ['another credential', { minutes: 5, credential: 'other 1' }, 409, 'was added again'],
    ['an unknown bot', { bot: 'Cat' }, 404, 'You have no bot named "Cat".'],
    ['an unknown chat', { chatId: 'nothing' }, 404, 'There is no such chat'],
    ['an unknown connector', { minutes: 5, server: 'Nothing' }, 404, 'You have no connector named'],
    ['an empty value', { rule: { argument: 'repository', test: 'begins', value: '' } }, 400, 'rule.value'],
    ['no such test', { rule: { argument: 'repository', test: 'ends', value: 'a' } }, 400, 'rule.test'],
    [
      'an argument that the tool does not have',
      { rule: { argument: 'repo', test: 'equals', value: 'a' } },
      400,
      'the tool "act" has no argument "repo"',
    ],
    [
      'an argument that is no text',
      { rule: { argument: 'count', test: 'equals', value: '7' } },
      400,
      'the argument "count" of the tool "act" is not a text',
    ],
  ])('refuses a grant with %s, and writes nothing', async (_, fields, status, message) => {
    const { connect, create } = steps()
    await connect('D')
    const before = await hashTables(test.database)
    const response = await create('D', 'act', fields)
    expect(response.statusCode).toBe(status)
    expect(response.body).toContain(message.replaceAll('"', String.raw`\"`))
    expect(await hashTables(test.database)).toEqual(before)
  })

  it('refuses a grant for a blocked tool, for a connector without a list, and beyond the limit', async () => {
    const { connect, create, allow, idOf } = steps()
    await connect('E')
    await connect('F', { allow_tools: null })
    await allow('E', 'act', 'block')
    const { db } = test.database
    const connectorId = await idOf('E')
    const rows = Array.from({ length: 500 }, (_, index) => ({
      id: `${index} ${connectorId}`,
      user_id: ada.user.id,
      connector_id: connectorId,
      name: 'other',
      fingerprint: 'f',
      definition: '{}',
      bot_id: null,
      chat_id: null,
      ends_at: null,
      rule: null,
      created_at: 1,
      used_at: null,
      uses: 0,
    }))
    await db.insertInto('tool_grants').values(rows).execute()
    const before = await hashTables(test.database)
    expect((await create('E', 'act', { minutes: 5 })).json()).toMatchObject({
      error: { code: 'conflict', message: expect.stringContaining('is blocked') as string },
    })
    expect((await create('F', 'act', { minutes: 5 })).json()).toMatchObject({
      error: { code: 'conflict', message: expect.stringContaining('nothing to allow') as string },
    })
    expect((await create('E', 'read', { minutes: 5 })).json()).toMatchObject({
      error: { code: 'conflict', message: expect.stringContaining('limit of 500 permissions') as string },
    })
    expect(await hashTables(test.database)).toEqual(before)
  })

  it('says why a permission allows nothing any more', async () => {
    const { connect, create, allow, list, refresh } = steps()
    await connect('G')
    await allow('G', 'act')
    await allow('G', 'read')
    await create('G', 'drop', { minutes: 5 })
    await create('G', 'drop', { bot: 'Owl' })
    now += 5 * 60_000
    server.tools = [
      { name: 'act', description: 'Acts otherwise.' },
      { name: 'drop', description: 'Does drop.' },
    ]
    await refresh('G')
    const { grants } = await list()
    expect(grants.map(({ tool, limits, ended }) => [tool, limits.bot, ended])).toEqual([
      ['act', undefined, 'changed'],
      expect.toBeOneOf([
        ['drop', undefined, 'expired'],
        ['drop', 'Owl', undefined],
      ]),
      expect.toBeOneOf([
        ['drop', undefined, 'expired'],
        ['drop', 'Owl', undefined],
      ]),
      ['read', undefined, 'gone'],
    ])
    expect(grants[0]?.changes).toEqual([
      { what: 'description', before: 'Does act.', after: 'Acts otherwise.' },
    ])
    await ada.delete('/api/bot/Owl')
    expect((await list()).grants.find(({ limits }) => limits.bot === null)).toMatchObject({ tool: 'drop' })
  })

  it('are taken back one by one, of a connector, or all, but what is blocked stays', async () => {
    const { connect, create, allow, list } = steps()
    for (const name of ['H', 'I']) {
      await connect(name)
      await allow(name, 'act')
      await allow(name, 'drop', 'block')
      await create(name, 'read', { minutes: 5 })
    }
    const [first] = (await list()).grants
    const remove = (id: string) => ada.delete(`/api/grants/${encodeURIComponent(id)}`)
    expect((await remove(first?.id ?? '')).statusCode).toBe(204)
    expect((await remove(first?.id ?? '')).statusCode).toBe(404)
    const limitedGrant = (await list()).grants.find(({ tool }) => tool === 'read')
    expect((await remove(limitedGrant?.id ?? '')).statusCode).toBe(204)
    expect((await ada.delete('/api/grants?server=I')).json()).toEqual({ revoked: 2 })
    expect((await list()).grants.map(({ server: name, tool }) => [name, tool])).toEqual([
      ['H', 'drop'],
      ['I', 'drop'],
    ])
    await allow('H', 'act')
    await allow('I', 'read')
    expect((await ada.delete('/api/grants?all=true')).json()).toEqual({ revoked: 2 })
    expect((await list()).grants.every(({ permission }) => permission === 'block')).toBe(true)
    const blocked = (await list()).grants[0]
    expect((await remove(blocked?.id ?? '')).statusCode).toBe(204)
    expect((await list()).grants).toHaveLength(1)
    expect((await ada.delete('/api/grants?server=Nothing')).statusCode).toBe(404)
  })

  it('are each user’s own', async () => {
    const { connect, create, allow, list } = steps()
    await connect('J')
    await allow('J', 'act')
    await create('J', 'read', { minutes: 5 })
    const { grants } = await list()
    const eve = await test.signIn('Eve')
    const before = await hashTables(test.database)
    expect(GrantList.parse((await eve.get('/api/grants')).json()).grants).toEqual([])
    for (const { id } of grants)
      expect((await eve.delete(`/api/grants/${encodeURIComponent(id)}`)).statusCode).toBe(404)
    expect((await eve.delete('/api/grants?all=true')).json()).toEqual({ revoked: 0 })
    expect((await eve.delete('/api/grants?server=J')).statusCode).toBe(404)
    expect(await hashTables(test.database)).toEqual(before)
  })

  it('stay when the connector is disconnected, renamed or edited, and go with its address, its list and itself', async () => {
    const { connect, create, list } = steps()
    await connect('K')
    await create('K', 'act', { minutes: 5 })
    const count = async () => (await list()).grants.length
    const change = (fields: object) =>
      ada.put('/api/mcp-server/K2', { name: 'K2', url: server.url, ...fields })
    await ada.post('/api/mcp-server/K/disconnect')
    await ada.put('/api/mcp-server/K', { name: 'K2', url: server.url, token: 'secret' })
    expect(await count()).toBe(1)
    await change({ allow_tools: null })
    expect(await count()).toBe(0)
    await change({ allow_tools: [] })
    await ada.post('/api/mcp-server/K2/connect')
    await create('K2', 'act', { minutes: 5 })
    await ada.patch('/api/mcp-server/K2', { tools: [], asks: true })
    expect(await count()).toBe(1)
    await ada.patch('/api/mcp-server/K2', { tools: [], asks: false })
    expect(await count()).toBe(0)
    await ada.patch('/api/mcp-server/K2', { tools: [], asks: true })
    await create('K2', 'act', { minutes: 5 })
    await change({ url: `${server.url}?moved` })
    expect(await count()).toBe(0)
    await connect('L')
    await create('L', 'act', { minutes: 5 })
    await ada.delete('/api/mcp-server/L')
    await connect('L')
    expect(await count()).toBe(0)
  })

  it('that have ended are deleted 90 days later', async () => {
    const { connect, create, list } = steps()
    await connect('M')
    await create('M', 'act', { minutes: 1 })
    now += 90 * dayMs
    await create('M', 'read', { minutes: 1 })
    expect((await list()).grants).toHaveLength(2)
    now += 60_001
    await create('M', 'drop', { minutes: 1 })
    expect((await list()).grants.map(({ tool }) => tool)).toEqual(['drop', 'read'])
  })

  it('tell the other tabs that they have changed', async () => {
    const { connect, create } = steps()
    await connect('N')
    const live = await openLiveStream(await test.listen(), ada.headers)
    await create('N', 'act', { minutes: 5 })
    const changes = () => live.events().flatMap((event) => (event.type === 'changed' ? [event.what] : []))
    await live.until(() => changes().includes('grants'))
    live.leave()
  })

  describe('with the ceilings of the operator', () => {
    it('shows which tools always ask or are blocked, and that their permissions allow nothing', async () => {
      const { connect, allow, create } = steps()
      await connect('O')
      await allow('O', 'act')
      await allow('O', 'read')
      await create('O', 'drop', { minutes: 300 })
      const ceilings = within()
      const { grants, max_hours } = await ceilings.list()
      expect(max_hours).toBe(2)
      expect(grants.map(({ tool, ended }) => [tool, ended])).toEqual([
        ['act', 'always_asks'],
        ['drop', 'blocked_by_operator'],
        ['read', undefined],
      ])
      const shown = ConnectorList.parse((await ceilings.client.get('/api/mcp-servers')).json())
      expect(
        shown
          .find(({ name }) => name === 'O')
          ?.tools.map(({ name, consent, operator }) => [name, consent, operator]),
      ).toEqual([
        ['act', 'ask', 'asks'],
        ['drop', 'ask', 'blocked'],
        ['read', 'run', undefined],
      ])
      now += 2 * hourMs
      expect((await ceilings.list()).grants[2]).toMatchObject({ tool: 'read', ended: 'expired' })
    })

    it('refuses to allow such tools, also in a whole list, and writes nothing', async () => {
      const { connect } = steps()
      await connect('P')
      const { create, allow, client } = within()
      const before = await hashTables(test.database)
      const always = 'lets the tool \\"act\\" always ask. Allow each call once.'
      const blocked = 'has blocked the tool \\"drop\\".'
      const responses = [
        [await create('P', 'act', { minutes: 5 }), always],
        [await create('P', 'drop', { minutes: 5 }), blocked],
        [await allow('P', 'act'), always],
        [await allow('P', 'drop'), blocked],
        [
          await client.put('/api/mcp-server/P', { name: 'P', url: server.url, allow_tools: ['read', 'act'] }),
          always,
        ],
      ] as const
      for (const [response, message] of responses) {
        expect(response.statusCode).toBe(409)
        expect(response.body).toContain(message)
      }
      expect(await hashTables(test.database)).toEqual(before)
      expect((await allow('P', 'act', 'block')).statusCode).toBe(200)
    })

    it('refuses grants that last longer than the longest time', async () => {
      const { connect } = steps()
      await connect('Q')
      const { create } = within()
      const refused = await create('Q', 'read', { minutes: 121 })
      expect(refused.statusCode).toBe(400)
      expect(refused.body).toContain(
        'lets a permission last for 2 hours at most (minutes: 120). Choose a shorter time',
      )
      const created = await create('Q', 'read', { bot: 'Owl' })
      expect(created.json<Grant>().limits.ends_at).toBe(new Date(now + 2 * hourMs).toISOString())
      expect((await create('Q', 'read', { minutes: 120 })).statusCode).toBe(201)
    })

    it('keeps what a form repeats, and lets a connector without a list be', async () => {
      const { connect, allow } = steps()
      await connect('R')
      await allow('R', 'act')
      const { client } = within()
      const change = (allow_tools: string[] | null) =>
        client.put('/api/mcp-server/R', { name: 'R', url: server.url, allow_tools })
      expect((await change(['act', 'read'])).statusCode).toBe(200)
      const response = await change(null)
      expect(response.json()).toMatchObject({
        allow_tools: null,
        tools: [
          { name: 'act', consent: 'ask' },
          { name: 'drop', consent: 'ask' },
          { name: 'read', consent: 'run' },
        ],
      })
    })
  })
})
