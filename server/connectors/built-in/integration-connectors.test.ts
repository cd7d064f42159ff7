import type { Connector } from '@yonder/contract/connector'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hashTables } from '../../testing/database/hash-tables.ts'
import { engines } from '../../testing/database/test-database.ts'
import { startApiKeyMcpServer, type ApiKeyMcpServer } from '../../testing/mcp/api-key-mcp-server.ts'
import { openTestApp, type TestApp, type TestClient } from '../../testing/test-app.ts'

const key = 'key-of-ada-0123456789'

describe.each(engines)('the connector of an API-key service, on %s', (engine) => {
  let finder: ApiKeyMcpServer
  let reader: ApiKeyMcpServer
  let product: TestApp
  let ada: TestClient

  beforeAll(async () => {
    finder = await startApiKeyMcpServer()
    reader = await startApiKeyMcpServer()
    product = await openTestApp({
      engine,
      environment: {
        API_KEY_SERVICES: JSON.stringify([
          { name: 'finder', url: finder.url },
          { name: 'page-reader', url: reader.url, header: 'x-api-key' },
        ]),
      },
    })
  })
  beforeEach(async ({ task }) => {
    ada = await product.signIn(`Ada of ${task.id}`)
    for (const { behaviour, seen } of [finder, reader]) {
      Object.assign(behaviour, { accepts: () => true, redirect: null })
      seen.length = 0
    }
  })
  afterAll(async () => {
    await product.close()
    await Promise.all([finder.close(), reader.close()])
  })

  const saveKey = (name: string, api_key: string, client = ada) =>
    client.post('/api/integration', { name, auth_type: 'api_key', api_key })
  const changeKey = (name: string, api_key: string) =>
    ada.put(`/api/integration/${name}`, { name, auth_type: 'api_key', api_key })
  const list = async (client = ada) => (await client.get('/api/mcp-servers')).json<Connector[]>()
  const names = async (client = ada) => (await list(client)).map(({ name }) => name)
  const find = async (name: string) => (await list()).find((connector) => connector.name === name)

  it('exists once the key is stored, with its tools, which need approval', async () => {
    expect(await names()).toEqual(['default'])
    await saveKey('finder', key)
    expect(await names()).toEqual(['default', 'Finder'])
    expect(await find('Finder')).toMatchObject({
      url: finder.url,
      token: null,
      status: 'connected',
      is_default: true,
      error_message: null,
      allow_tools: [],
      tools: [{ name: 'search', consent: 'ask' }],
    })
  })

  it('sends the key in the configured header, to its own origin only', async () => {
    await saveKey('finder', key)
    await list()
    expect(new Set(finder.seen.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${key}`]))
    expect(reader.seen).toEqual([])
    await saveKey('page-reader', 'another-key-0123456789')
    expect(await names()).toEqual(['default', 'Finder', 'Page Reader'])
    expect(new Set(reader.seen.map((headers) => headers['x-api-key']))).toEqual(
      new Set(['another-key-0123456789']),
    )
    expect(reader.seen.map(({ authorization }) => authorization).filter(Boolean)).toEqual([])
    expect(JSON.stringify(await list())).not.toContain(key)
  })

  it('does not follow a redirect to another site, and does not send the key there', async () => {
    finder.behaviour.redirect = reader.url
    await saveKey('finder', key)
    expect(await find('Finder')).toMatchObject({
      status: 'failed',
      error_message: expect.stringContaining('another address'),
    })
    expect(reader.seen).toEqual([])
  })

  it('uses the key of each user', async () => {
    const eve = await product.signIn(`Eve of ${ada.user.id}`)
    await saveKey('finder', key)
    await saveKey('finder', 'key-of-eve-0123456789', eve)
    await list(eve)
    expect(new Set(finder.seen.map(({ authorization }) => authorization))).toEqual(
      new Set(['Bearer key-of-eve-0123456789']),
    )
    await list()
    expect(finder.seen.at(-1)?.authorization).toBe(`Bearer ${key}`)
    await eve.post('/api/integration/disconnect/finder')
    expect(await names(eve)).toEqual(['default'])
    expect(await names()).toEqual(['default', 'Finder'])
  })

  it('is removed with the key, and so are its allowed tools (§4.28)', async () => {
    await saveKey('finder', key)
    await list()
    await ada.put('/api/mcp-server/Finder', { name: 'Finder', url: finder.url, allow_tools: ['search'] })
    await ada.post('/api/integration/disconnect/finder')
    expect((await ada.post('/api/mcp-server/Finder/connect')).statusCode).toBe(404)
    expect(await names()).toEqual(['default'])
    await changeKey('finder', key)
    expect(await find('Finder')).toMatchObject({ allow_tools: [], tools: [{ consent: 'ask' }] })
    await changeKey('finder', '')
    expect(await names()).toEqual(['default'])
  })

  it('can be changed only in its allowed tools (§6.4)', async () => {
    await saveKey('finder', key)
    await list()
    const same = { name: 'Finder', url: finder.url }
    const before = await hashTables(product.database)
    for (const refused of [
      await ada.delete('/api/mcp-server/Finder'),
      await ada.put('/api/mcp-server/Finder', { ...same, name: 'Mine' }),
      await ada.put('/api/mcp-server/Finder', { ...same, url: reader.url }),
      await ada.put('/api/mcp-server/Finder', { ...same, token: 'mine' }),
    ])
      expect(refused.statusCode).toBe(403)
    expect(await hashTables(product.database)).toEqual(before)
    const allowed = await ada.put('/api/mcp-server/Finder', { ...same, allow_tools: ['search'] })
    expect(allowed.json()).toMatchObject({ allow_tools: ['search'], tools: [{ consent: 'run' }] })
  })

  it('reports a refused key and where to enter a new one, which works at once', async () => {
    finder.behaviour.accepts = ({ authorization }) => authorization === 'Bearer a-better-key-0123456789'
    await saveKey('finder', key)
    await list()
    const failed = await find('Finder')
    expect(failed).toMatchObject({
      status: 'failed',
      error_message:
        'Finder did not accept your API key. Enter another one under Settings, Integrations. The server says: “invalid key”',
    })
    const connect = await ada.post('/api/mcp-server/Finder/connect', {})
    expect([connect.statusCode, connect.json()]).toMatchObject([
      200,
      { authorization_url: 'http://localhost:3000/settings/integrations' },
    ])
    await changeKey('finder', 'a-better-key-0123456789')
    expect(await find('Finder')).toMatchObject({
      status: 'connected',
      error_message: null,
      tools: [{ name: 'search' }],
    })
  })

  it('keeps its allowed tools when another key is stored', async () => {
    await saveKey('finder', key)
    await list()
    await ada.put('/api/mcp-server/Finder', { name: 'Finder', url: finder.url, allow_tools: ['search'] })
    await changeKey('finder', 'a-better-key-0123456789')
    expect(await find('Finder')).toMatchObject({ allow_tools: ['search'], tools: [{ consent: 'run' }] })
    expect(finder.seen.at(-1)?.authorization).toBe('Bearer a-better-key-0123456789')
  })

  it('gets a number after its name when the user already has a connector of that name or address', async () => {
    const own = { name: 'Finder', url: finder.url, token: 'my-own-token-0123456789' }
    expect((await ada.post('/api/mcp-server', own)).statusCode).toBe(201)
    await saveKey('finder', key)
    expect(await names()).toEqual(['default', 'Finder 2', 'Finder'])
    finder.seen.length = 0
    const connected = await ada.post('/api/mcp-server/Finder/connect', {})
    expect(connected.json()).toMatchObject({ connector: { status: 'connected', is_default: false } })
    expect(new Set(finder.seen.map(({ authorization }) => authorization))).toEqual(
      new Set([`Bearer ${own.token}`]),
    )
    await ada.post('/api/integration/disconnect/finder')
    expect(await names()).toEqual(['default', 'Finder'])
  })
})
