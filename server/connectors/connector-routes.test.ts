import { Connector, ConnectResult, ToolCallList } from '@yonder/contract/connector'
import { describe, expect, it } from 'vitest'
import { engines } from '../testing/database/test-database.ts'
import {
  pathOf,
  ConnectorScene,
  connectorSteps,
  connectorUrl as url,
} from '../testing/mcp/connector-steps.ts'
import { openTestApp, type TestClient } from '../testing/test-app.ts'

const token = 'secret-0123456789-tail'
const mask = 'secr••••••••tail'

describe.each(engines)('connectors on %s', (engine) => {
  const scene = new ConnectorScene(engine)
  const { list, find, create, idOf, rows, storeTools } = connectorSteps(scene)
  const custom = async (client?: TestClient) => (await list(client)).filter(({ is_default }) => !is_default)

  it('creates the built-in default connector with its tools, which need approval, for every user (§2.56, §3.12, §7.14)', async () => {
    const [first, ...others] = await list()
    expect(others).toEqual([])
    expect(first).toMatchObject({
      name: 'default',
      is_default: true,
      status: 'connected',
      token: null,
      client_id: null,
      client_secret: null,
      error_message: null,
      notice: null,
      allow_tools: [],
    })
    expect(first?.tools.map(({ name, consent }) => [name, consent])).toEqual([
      ['get_time', 'ask'],
      ['calculate', 'ask'],
    ])
    expect(await list()).toEqual([first])
  })

  it('creates the default connector once, even for concurrent requests', async () => {
    const lists = await Promise.all([list(), list(), list()])
    for (const connectors of lists) expect(connectors).toHaveLength(1)
    const found = await scene.test.database.db
      .selectFrom('connectors')
      .select('id')
      .where('user_id', '=', scene.ada.user.id)
      .execute()
    expect(found).toHaveLength(1)
  })

  it('creates a connector that is not connected, without a list of tools by default (§4.27, §7.15)', async () => {
    const response = await create({ name: '  Tools ', status: 'connected', is_default: true })
    expect(response.statusCode).toBe(201)
    const connector = {
      name: 'Tools',
      url,
      token: null,
      client_id: null,
      client_secret: null,
      status: 'disconnected',
      is_default: false,
      error_message: null,
      notice: null,
      allow_tools: null,
      block_tools: [],
      time_limit: null,
      pictures: true,
      tools: [],
      credential: expect.stringMatching(/^\S+ 1$/) as string,
    }
    expect(response.json()).toEqual(connector)
    expect(await custom()).toEqual([connector])
  })

  it('stores an address as it was entered, without checking its format (§5.10)', async () => {
    for (const typed of ['localhost:3001', 'not an address', 'http://10.0.0.1/x?y#z', 'ftp://x']) {
      expect((await create({ name: typed, url: typed })).statusCode).toBe(201)
      expect((await find(typed)).url).toBe(typed)
    }
  })

  it('trims the names of allowed tools, and drops empty ones and duplicates (§5.16)', async () => {
    await create({ allow_tools: [' b', 'a', '', '  ', 'b', 'a '] })
    expect((await find('Tools')).allow_tools).toEqual(['b', 'a'])
  })

  it('lists the default connector first, then the others in the order of their creation (§2.56)', async () => {
    for (const name of ['C', 'A', 'B']) await create({ name })
    expect((await list()).map(({ name }) => name)).toEqual(['default', 'C', 'A', 'B'])
  })

  it('returns a token masked, and stores it encrypted', async () => {
    const created = await create({ token })
    expect(Connector.parse(created.json()).token).toBe(mask)
    const listed = await scene.ada.get('/api/mcp-servers')
    expect(listed.body).not.toContain(token)
    expect(JSON.stringify(await rows())).not.toContain(token)
  })

  it('changes the fields that differ when it gets a whole connector (§7.16)', async () => {
    await create({ token, allow_tools: ['a'] })
    const whole = await find('Tools')
    const response = await scene.ada.put(pathOf('Tools'), {
      ...whole,
      name: 'Renamed',
      allow_tools: ['a', 'b'],
    })
    expect(response.statusCode).toBe(200)
    expect(response.json()).toEqual({ ...whole, name: 'Renamed', allow_tools: ['a', 'b'] })
    expect(await find('Renamed')).toMatchObject({ token: mask, allow_tools: ['a', 'b'] })
  })

  it('keeps fields that an update omits, and clears an empty token (§2.64)', async () => {
    await create({ token, allow_tools: ['a'] })
    await scene.ada.put(pathOf('Tools'), { name: 'Tools', url })
    expect(await find('Tools')).toMatchObject({ token: mask, allow_tools: ['a'] })
    await scene.ada.put(pathOf('Tools'), { name: 'Tools', url, token: null })
    expect((await find('Tools')).token).toBeNull()
    await create({ name: 'Second', token: '' })
    expect((await find('Second')).token).toBeNull()
  })

  it('removes token, tools and approvals when the address changes', async () => {
    await create({ token, allow_tools: ['a'] })
    await storeTools('Tools', { name: 'a', description: 'A' })
    const whole = await find('Tools')
    const response = await scene.ada.put(pathOf('Tools'), { ...whole, url: 'https://other.example/mcp' })
    expect(response.json()).toMatchObject({ token: null, tools: [], allow_tools: [], status: 'disconnected' })
  })

  it('requires approval at a new address even if all tools were allowed, unless they are allowed again', async () => {
    await create({ allow_tools: null })
    await scene.ada.put(pathOf('Tools'), { name: 'Tools', url: 'https://two.example', allow_tools: null })
    expect((await find('Tools')).allow_tools).toEqual([])
    await scene.ada.put(pathOf('Tools'), {
      name: 'Tools',
      url: 'https://three.example',
      allow_tools: null,
    })
    expect((await find('Tools')).allow_tools).toBeNull()
  })

  it('accepts a new token together with a new address', async () => {
    await create({ token })
    await scene.ada.put(pathOf('Tools'), {
      name: 'Tools',
      url: 'https://two.example',
      token: 'another-token-123',
    })
    expect((await find('Tools')).token).toBe('anot••••••••-123')
  })

  it('deletes a connector with all that belongs to it (§7.17)', async () => {
    await create({ allow_tools: ['a'] })
    await storeTools('Tools', { name: 'a', description: 'A' })
    const id = await idOf('Tools')
    const response = await scene.ada.delete(pathOf('Tools'))
    expect(response.statusCode).toBe(204)
    expect(await custom()).toEqual([])
    expect(JSON.stringify(await rows())).not.toContain(id)
  })

  it('lets a user change which tools of the default connector need approval, for themselves (§6.4)', async () => {
    const bob = await scene.test.signIn('Bob')
    const whole = await find('default')
    const response = await scene.ada.put(pathOf('default'), { ...whole, allow_tools: ['calculate'] })
    expect(response.statusCode).toBe(200)
    expect((await find('default')).tools.map(({ consent }) => consent)).toEqual(['ask', 'run'])
    const [other] = await list(bob)
    expect(other?.allow_tools).toEqual([])
  })

  it('does not let the default connector be edited or deleted, and writes nothing (§2.56, §6.4)', async () => {
    const whole = await find('default')
    const before = await rows()
    const responses = [
      await scene.ada.put(pathOf('default'), { ...whole, name: 'mine' }),
      await scene.ada.put(pathOf('default'), { ...whole, url }),
      await scene.ada.put(pathOf('default'), { ...whole, token }),
      await scene.ada.put(pathOf('default'), { ...whole, client_id: 'client' }),
      await scene.ada.put(pathOf('default'), { ...whole, client_secret: 'client-secret' }),
      await scene.ada.delete(pathOf('default')),
    ]
    for (const response of responses) {
      expect(response.statusCode).toBe(403)
      expect(response.json()).toMatchObject({ error: { code: 'forbidden' } })
    }
    expect(await rows()).toEqual(before)
  })

  it('refuses taken and reserved names, and writes nothing', async () => {
    await create({ name: 'A' })
    await create({ name: 'B' })
    const before = await rows()
    const responses = [
      await create({ name: ' A ' }),
      await scene.ada.put(pathOf('B'), { name: 'A', url }),
      await create({ name: 'default' }),
      await create({ name: 'Default' }),
      await scene.ada.put(pathOf('B'), { name: 'default', url }),
    ]
    for (const response of responses) {
      expect(response.statusCode).toBe(409)
      expect(response.json()).toMatchObject({ error: { code: 'name_taken' } })
    }
    expect(await rows()).toEqual(before)
  })

  it('lets only one of several concurrent requests use a name', async () => {
    const responses = await Promise.all([create(), create(), create()])
    expect(responses.map((response) => response.statusCode).sort()).toEqual([201, 409, 409])
    expect(await custom()).toHaveLength(1)
  })

  it('uses different prefixes of tool names for connectors with similar names', async () => {
    await Promise.all(['My tools', 'my-tools', 'MY TOOLS', '名前', '工具'].map((name) => create({ name })))
    expect(await custom()).toHaveLength(5)
    const found = await scene.test.database.db
      .selectFrom('connectors')
      .select('slug')
      .where('user_id', '=', scene.ada.user.id)
      .execute()
    expect(new Set(found.map(({ slug }) => slug)).size).toBe(6)
    for (const { slug } of found) expect(slug).toMatch(/^[a-z][a-z0-9_]{0,15}$/)
  })

  it('refuses more than twenty connectors', async () => {
    for (let count = 0; count < 20; count++) {
      expect((await create({ name: `c${count}` })).statusCode).toBe(201)
    }
    const response = await create({ name: 'one more' })
    expect(response.statusCode).toBe(409)
    expect(await custom()).toHaveLength(20)
  })

  it('refuses more than twenty connectors also when requests are concurrent', async () => {
    const eve = await scene.test.signIn('Eve of many')
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        eve.post('/api/mcp-server', { name: `C${index}`, url: 'https://x.example', allow_tools: [] }),
      ),
    )
    expect(responses.filter(({ statusCode }) => statusCode === 201)).toHaveLength(20)
    expect(responses.filter(({ statusCode }) => statusCode === 409)).toHaveLength(10)
  })

  it("returns 404 for another user's connector, and writes nothing", async () => {
    const bob = await scene.test.signIn('Bob')
    await create({ name: "Bob's", token }, bob)
    await list(scene.ada)
    const before = await rows()
    const name = pathOf("Bob's")
    const responses = [
      await scene.ada.put(name, { name: 'Mine', url: 'https://evil.example' }),
      await scene.ada.delete(name),
      await scene.ada.post(`${name}/connect`),
      await scene.ada.post(`${name}/disconnect`),
      await scene.ada.get(`${name}/calls`),
    ]
    for (const response of responses) {
      expect(response.statusCode).toBe(404)
      expect(response.json()).toMatchObject({ error: { code: 'not_found' } })
    }
    expect(await rows()).toEqual(before)
  })

  it.each(['a/b', '100%', '%2F', 'a?b#c', '名前 🚀', '...', 'x'.repeat(200)])(
    'finds the connector %j by the name in the path',
    async (name) => {
      await create({ name })
      expect((await scene.ada.put(pathOf(name), { name, url, allow_tools: [] })).statusCode).toBe(200)
      expect((await scene.ada.delete(pathOf(name))).statusCode).toBe(204)
    },
  )

  const valid = { name: 'A', url }
  it.each<[string, unknown, string]>([
    ['a missing body', undefined, ''],
    ['a list', [valid], ''],
    ['no name', { url }, 'name: '],
    ['a blank name', { name: ' ', url }, 'name: Server name is required'],
    ['a name that cannot be part of a path', { name: '..', url }, 'name: '],
    ['a long name', { name: 'x'.repeat(201), url }, 'name: '],
    ['no address', { name: 'A' }, 'url: '],
    ['an empty address', { name: 'A', url: '' }, 'url: URL is required'],
    ['a token with a line break', { ...valid, token: 'a\r\nX: y' }, 'token: '],
    ['a number as token', { ...valid, token: 7 }, 'token: '],
    ['numbers as tools', { ...valid, allow_tools: [1] }, 'allow_tools'],
    ['text as tools', { ...valid, allow_tools: 'a' }, 'allow_tools'],
    ['no time to run', { ...valid, time_limit: 0 }, 'time_limit: '],
    ['a negative time limit', { ...valid, time_limit: -60 }, 'time_limit: '],
    ['a part of a second', { ...valid, time_limit: 1.5 }, 'time_limit: '],
    ['text as time limit', { ...valid, time_limit: '60' }, 'time_limit: '],
    ['a time limit longer than a day', { ...valid, time_limit: 86_401 }, 'time_limit: '],
    [
      "a time limit above the operator's",
      { ...valid, time_limit: 1_801 },
      'time_limit: can be at most 1800 seconds on this server',
    ],
  ])('refuses %s, names the field, and writes nothing (§5.10)', async (_, body, reason) => {
    await create({ name: 'Kept' })
    const before = await rows()
    for (const response of [
      await scene.ada.post('/api/mcp-server', body),
      await scene.ada.put(pathOf('Kept'), body),
    ]) {
      expect(response.statusCode).toBe(400)
      const { error } = response.json<{ error: { code: string; message: string } }>()
      expect(error.code).toBe('invalid_request')
      expect(error.message).toContain(reason)
    }
    expect(await rows()).toEqual(before)
  })

  it("stores a time limit up to the operator's, and the default when it is null or absent", async () => {
    const limit = async () => (await find('Tools')).time_limit
    await create()
    expect(await limit()).toBeNull()
    const change = (fields: object) => scene.ada.put(pathOf('Tools'), { name: 'Tools', url, ...fields })
    expect((await change({ time_limit: 1_800 })).statusCode).toBe(200)
    expect(await limit()).toBe(1_800)
    // A field that an update omits is kept.
    await change({})
    expect(await limit()).toBe(1_800)
    await change({ time_limit: null })
    expect(await limit()).toBeNull()
    await scene.ada.delete(pathOf('Tools'))
    await create({ time_limit: null })
    expect(await limit()).toBeNull()
  })

  it('takes the longest time limit from MAX_CALL_SECONDS, and keeps a stored one that is longer', async () => {
    const { database } = scene.test
    const stricter = await openTestApp({ database, environment: { MAX_CALL_SECONDS: '90' } })
    const ada = await stricter.signIn('Ada')
    const send = (fields: object) => ada.put(pathOf('Own'), { name: 'Own', url, ...fields })
    expect((await create({ name: 'Own', time_limit: 91 }, ada)).statusCode).toBe(400)
    expect((await create({ name: 'Own', time_limit: 90 }, ada)).statusCode).toBe(201)
    const refused = await send({ time_limit: 91 })
    expect(refused.statusCode).toBe(400)
    expect(refused.body).toContain('time_limit: can be at most 90 seconds')
    const own = database.db.updateTable('connectors').where('user_id', '=', ada.user.id)
    await own.set({ time_limit: 600 }).where('name', '=', 'Own').execute()
    expect((await send({ time_limit: 600, allow_tools: [] })).statusCode).toBe(200)
    expect((await send({ time_limit: 599 })).statusCode).toBe(400)
    await stricter.close()
  })

  it('requires a signed-in user for every request, and writes nothing without one (§6.1)', async () => {
    const before = await rows()
    const headers = { host: 'localhost:3000' }
    for (const call of [
      { method: 'GET', url: '/api/mcp-servers' },
      { method: 'POST', url: '/api/mcp-server', payload: valid },
      { method: 'PUT', url: '/api/mcp-server/A', payload: valid },
      { method: 'DELETE', url: '/api/mcp-server/A' },
      { method: 'POST', url: '/api/mcp-server/A/connect' },
      { method: 'POST', url: '/api/mcp-server/A/disconnect' },
      { method: 'GET', url: '/api/mcp-server/A/calls' },
    ] as const) {
      expect((await scene.test.app.inject({ ...call, headers })).statusCode).toBe(401)
    }
    expect(await rows()).toEqual(before)
  })

  it('disconnects and connects the default connector (§4.27, §7.18)', async () => {
    await list()
    const off = await scene.ada.post(`${pathOf('default')}/disconnect`)
    expect(Connector.parse(off.json()).status).toBe('disconnected')
    expect(await find('default')).toMatchObject({ status: 'disconnected' })
    const on = ConnectResult.parse((await scene.ada.post(`${pathOf('default')}/connect`)).json())
    expect(on).toMatchObject({ connector: { status: 'connected' }, authorization_url: null })
  })

  it.each([
    ['a private address', 'http://10.1.2.3/mcp', 422],
    ['a metadata service', 'http://169.254.169.254/latest', 422],
    ['an address without HTTP', 'ftp://tools.example', 422],
    ['text that is not an address', 'tools', 422],
    ['a name that does not resolve', 'https://does-not-exist.invalid/mcp', 502],
  ])('returns and stores why it cannot connect to %s (§3.12, §4.27)', async (_, typed, status) => {
    await create({ url: typed })
    const response = await scene.ada.post(`${pathOf('Tools')}/connect`)
    expect(response.statusCode).toBe(status)
    const { error } = response.json<{ error: { message: string } }>()
    expect(await find('Tools')).toMatchObject({ status: 'failed', error_message: error.message })
  })

  it.each(['https://evil.example/', '//evil.example', '/settings/../x', '/chat/a?b', 'javascript:alert(1)'])(
    'refuses to return to %j after the consent',
    async (return_to) => {
      const response = await scene.ada.post(`${pathOf('default')}/connect`, { return_to })
      expect(response.statusCode).toBe(400)
    },
  )

  it('returns an empty record of calls before the first call', async () => {
    const response = await scene.ada.get(`${pathOf('default')}/calls`)
    expect(ToolCallList.parse(response.json())).toEqual({ calls: [], next: null })
  })

  it('still lists a connector whose token was encrypted with another SECRET_KEY', async () => {
    await create({ token })
    await scene.test.database.db
      .updateTable('connectors')
      .set({ token: 'v1.AAAA' })
      .where('token', 'is not', null)
      .execute()
    expect(await find('Tools')).toMatchObject({ token: '••••••••' })
    const response = await scene.ada.post(`${pathOf('Tools')}/connect`)
    expect(response.statusCode).toBe(502)
    expect(response.body).toContain('Enter the token again')
  })
})
