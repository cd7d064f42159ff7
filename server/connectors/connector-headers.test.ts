import { Connector } from '@yonder/contract/connector'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { engines } from '../testing/database/test-database.ts'
import { startApiKeyMcpServer, type ApiKeyMcpServer } from '../testing/mcp/api-key-mcp-server.ts'
import { openTestApp, type TestApp, type TestClient } from '../testing/test-app.ts'

const key = 'key-0123456789-tail'
const mask = 'key-••••••••tail'
const path = '/api/mcp-server/Keyed'

describe.each(engines)("a connector's own headers on %s", (engine) => {
  let test: TestApp
  let server: ApiKeyMcpServer
  let ada: TestClient

  beforeAll(async () => {
    test = await openTestApp({ engine, environment: { ALLOWED_PRIVATE_HOSTS: '127.0.0.1:*' } })
  })
  beforeEach(async () => {
    server = await startApiKeyMcpServer()
    server.behaviour.accepts = (headers) => headers['x-api-key'] === key
    ada = await test.signIn('Ada')
  })
  afterEach(() => server.close())
  afterAll(() => test.close())

  const create = (fields: object) =>
    ada.post('/api/mcp-server', { name: 'Keyed', url: server.url, allow_tools: [], ...fields })
  const update = (fields: object) => ada.put(path, { name: 'Keyed', url: server.url, ...fields })
  const withKey = { headers: [{ name: 'X-API-Key', value: key }] }

  it('are sent with every request, stored sealed and returned masked', async () => {
    const created = await create({ headers: [...withKey.headers, { name: 'X-Team', value: 'a team' }] })
    expect(Connector.parse(created.json()).headers).toEqual([
      { name: 'X-API-Key', value: mask },
      { name: 'X-Team', value: '••••••••' },
    ])
    expect((await ada.post(`${path}/connect`)).json()).toMatchObject({ connector: { status: 'connected' } })
    expect(server.seen.length).toBeGreaterThan(1)
    for (const headers of server.seen) expect(headers).toMatchObject({ 'x-api-key': key, 'x-team': 'a team' })
    const rows = await test.database.db.selectFrom('connectors').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(key)
    expect((await ada.get('/api/mcp-servers')).body).not.toContain(key)
  })

  it('stay while an input has their masks or omits them, and go when it has none', async () => {
    await create(withKey)
    const renamed = [
      { name: 'x-api-key', value: mask },
      { name: 'X-New', value: 'new-value-0123456789' },
    ]
    expect((await update({ headers: renamed })).json()).toMatchObject({
      headers: [
        { name: 'x-api-key', value: mask },
        { name: 'X-New', value: 'new-••••••••6789' },
      ],
    })
    await update({})
    await ada.post(`${path}/connect`)
    expect(server.seen.at(-1)).toMatchObject({ 'x-api-key': key, 'x-new': 'new-value-0123456789' })
    expect(Connector.parse((await update({ headers: null })).json()).headers).toBeUndefined()
  })

  it('are removed with the address, except those that come anew', async () => {
    await create(withKey)
    const other = { url: 'https://other.example/mcp' }
    const moved = await update({ ...other, headers: [{ name: 'X-API-Key', value: mask }] })
    expect(Connector.parse(moved.json()).headers).toBeUndefined()
    const entered = { ...other, url: server.url, ...withKey }
    expect(Connector.parse((await update(entered)).json()).headers).toEqual([
      { name: 'X-API-Key', value: mask },
    ])
    await update(other)
    expect(Connector.parse((await update(other)).json()).headers).toBeUndefined()
  })

  it('are not sent to another address, whatever the row says', async () => {
    await create(withKey)
    const other = await startApiKeyMcpServer()
    await test.database.db
      .updateTable('connectors')
      .set({ url: other.url })
      .where('name', '=', 'Keyed')
      .execute()
    expect((await ada.post(`${path}/connect`)).body).toContain('entered for another address')
    expect(other.seen).toEqual([])
    await other.close()
  })

  it('can be an Authorization of another scheme, without OAuth and without a token', async () => {
    server.behaviour.accepts = ({ authorization }) => authorization === 'Basic YWRhOnNlY3JldA=='
    const headers = [{ name: 'Authorization', value: 'Basic YWRhOnNlY3JldA==' }]
    expect((await create({ headers, token: 'also-a-token' })).json()).toMatchObject({
      error: { message: expect.stringContaining('remove the token or that header') },
    })
    await create({ headers })
    expect((await ada.post(`${path}/connect`)).json()).toMatchObject({ connector: { status: 'connected' } })
    server.behaviour.accepts = () => false
    expect((await ada.post(`${path}/connect`)).json()).toMatchObject({
      error: {
        message:
          'The server refused access (401). Check its headers under Advanced. The server says: “invalid key”',
      },
    })
  })

  it('are hidden where the server repeats them', async () => {
    await create(withKey)
    server.behaviour.accepts = (headers) => headers['x-api-key'] !== key
    server.behaviour.refusal = `{"error":"unknown key ${key}"}`
    const refused = await ada.post(`${path}/connect`)
    expect(refused.json()).toMatchObject({
      error: { message: expect.stringContaining('The server says: “unknown key …”') },
    })
    expect(refused.body).not.toContain(key)
    server.behaviour.refusal = `{"error":"unknown ${Buffer.from(`me:${key}`).toString('base64')} ${encodeURIComponent(key)}"}`
    const encoded = (await ada.post(`${path}/connect`)).json<{ error: { message: string } }>().error.message
    expect(encoded).toMatch(/The server says: “unknown \S{0,9}…\S{0,4} …”/)
  })

  const reservedNames =
    'Host content-type Content-Length MCP-Session-Id mcp-protocol-version Connection Transfer-Encoding Accept Proxy-Authorization'
  it.each([...reservedNames.split(' '), 'X Key', 'X-Käy', 'X:Y', 'X\r\nY'])(
    'cannot be named %j',
    async (name) => {
      const refused = await create({ headers: [{ name, value: 'x' }] })
      expect(refused.statusCode).toBe(400)
      expect(refused.body).toContain('headers.0: a connector cannot send')
    },
  )

  it.each(['', 'a\r\nX: y', 'ä', 'a\0'])('cannot have the value %j', async (value) => {
    expect((await create({ headers: [{ name: 'X-Key', value }] })).statusCode).toBe(400)
  })

  it('cannot have one name twice', async () => {
    const headers = [...withKey.headers, { name: 'x-api-key', value: 'other' }]
    expect((await create({ headers })).body).toContain('twice')
  })
})
