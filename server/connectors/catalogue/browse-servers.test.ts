import { BrowseList, type BrowseServer } from '@yonder/contract/connector'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { engines, openTestDatabase, type TestDatabase } from '../../testing/database/test-database.ts'
import { openTestConnectors, type TestConnectors } from '../../testing/mcp/open-test-connectors.ts'
import { startRegistryServer, type RegistryServer } from '../../testing/mcp/registry-server.ts'
import { browseServers as browseJson } from './browse-servers.ts'
import { shippedServers } from './shipped-servers.ts'

const entry = (fields: Record<string, unknown> = {}, official: Record<string, unknown> = {}) => ({
  server: {
    name: 'io.github.ada/weather',
    description: 'The weather',
    remotes: [{ type: 'streamable-http', url: 'https://weather.example/mcp' }],
    ...fields,
  },
  _meta: { 'io.modelcontextprotocol.registry/official': { status: 'active', isLatest: true, ...official } },
})
const remote = (url: string, rest: Record<string, unknown> = {}) => ({
  type: 'streamable-http',
  url,
  ...rest,
})

const browseServers = async (deps: Parameters<typeof browseJson>[0]) =>
  JSON.parse(await browseJson(deps)) as BrowseServer[]

describe.each(engines)('browseServers on %s', (engine) => {
  let registry: RegistryServer
  let database: TestDatabase
  let connectors: TestConnectors
  let time = 1_800_000_000_000

  beforeAll(async () => {
    registry = await startRegistryServer()
    database = await openTestDatabase(engine)
  })

  beforeEach(async () => {
    await database.db.deleteFrom('connector_catalogue').execute()
    registry.requests.length = 0
    connectors = await openTestConnectors({ database, registryUrl: registry.url, now: () => time })
  })

  afterAll(async () => {
    await registry.close()
    await database.close()
  })

  afterEach(() => connectors.close())

  /** Requests the list, waits for the refresh in the background, and requests the list again. */
  async function browse() {
    await browseServers(connectors)
    await connectors.shared.registryReads.run(registry.url, () => Promise.resolve())
    return browseServers(connectors)
  }

  it('shows the shipped list at first, then the registry (§3.13)', async () => {
    registry.pages = [[entry()], [entry({ name: 'com.example/second', title: 'Second' })]]
    expect(await browseServers(connectors)).toEqual(shippedServers)
    expect(await browse()).toEqual([
      {
        name: 'weather',
        title: 'weather',
        author_name: 'ada',
        description: 'The weather',
        config_name: 'io.github.ada/weather',
        server_url: 'https://weather.example/mcp',
        uuid: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string,
        needs_token: false,
      },
      expect.objectContaining({
        title: 'Second',
        author_name: 'example.com',
        config_name: 'com.example/second',
      }),
    ])
    expect(registry.requests[0]).toBe('/v0.1/servers?limit=100&version=latest')
  })

  it('reads the registry once an hour, for all users together', async () => {
    registry.pages = [[entry()]]
    await Promise.all([browse(), browse(), browse()])
    await browse()
    expect(registry.requests).toHaveLength(1)
    time += 3_600_001
    await browse()
    expect(registry.requests).toHaveLength(2)
  })

  it('keeps the last list when the registry fails, and does not retry at once', async () => {
    registry.pages = [[entry()]]
    await browse()
    time += 3_600_001
    registry.pages = [500]
    expect(await browse()).toHaveLength(1)
    expect(await browse()).toHaveLength(1)
    expect(registry.requests).toHaveLength(2)
    expect(connectors.errors).toHaveLength(1)
  })

  it('shows the shipped list when the registry was never reached', async () => {
    registry.pages = [503]
    expect(await browse()).toEqual(shippedServers)
  })

  it.each<[string, unknown]>([
    ['an invalid entry', 'text'],
    ['a server without a remote address', entry({ remotes: undefined })],
    [
      'a server that supports only HTTP+SSE',
      entry({ remotes: [{ type: 'sse', url: 'https://a.example/sse' }] }),
    ],
    ['an address without TLS', entry({ remotes: [remote('http://a.example/mcp')] })],
    ['an address with a placeholder', entry({ remotes: [remote('https://{tenant}.example/mcp')] })],
    [
      'a required header that no connector can send',
      entry({ remotes: [remote('https://a.example', { headers: [{ name: 'Host', isRequired: true }] })] }),
    ],
    ['an older version', entry({}, { isLatest: false })],
    ['a deleted server', entry({}, { status: 'deleted' })],
  ])('omits %s and keeps the others', async (_, bad) => {
    registry.pages = [[bad, entry({ name: 'com.example/good' })]]
    expect((await browse()).map(({ config_name }) => config_name)).toEqual(['com.example/good'])
  })

  it('marks deprecated servers and those that need a token', async () => {
    registry.pages = [
      [
        entry({ name: 'a/old', description: 'x'.repeat(600) }, { status: 'deprecated' }),
        entry({
          name: 'a/token',
          remotes: [
            remote('https://a.example', {
              headers: [{ name: 'Authorization', isRequired: true, isSecret: true }],
            }),
          ],
        }),
      ],
    ]
    const [old, token] = await browse()
    expect(old?.description).toMatch(/^Deprecated\. x{400}/)
    expect(token?.needs_token).toBe(true)
  })

  it('asks for the headers that a server requires, and not for values that are always the same', async () => {
    const headers = [
      { name: 'X-API-Key', isRequired: true, isSecret: true, value: '{key}', description: null },
      { name: 'X-Version', isRequired: true, value: '2' },
      { name: 'X-Option' },
    ]
    registry.pages = [[entry({ remotes: [remote('https://a.example', { headers })], title: null })]]
    expect(await browse()).toMatchObject([
      {
        needs_token: false,
        headers: [
          { name: 'X-API-Key', value: '' },
          { name: 'X-Version', value: '2' },
        ],
      },
    ])
  })

  it('reads at most 200 pages', async () => {
    registry.pages = Array.from({ length: 300 }, () => [])
    await browse()
    expect(registry.requests.length).toBeLessThanOrEqual(200)
  })

  it('uses one id for a server, whatever its version', async () => {
    registry.pages = [[entry({ description: 'first' })]]
    const [first] = await browse()
    time += 3_600_001
    registry.pages = [[entry({ description: 'second' })]]
    const [second] = await browse()
    expect(second?.description).toBe('second')
    expect(second?.uuid).toBe(first?.uuid)
  })
})

it('ships a list whose entries can be added as they are', () => {
  const { servers } = BrowseList.parse({ servers: shippedServers })
  expect(servers.length).toBeGreaterThan(3)
  for (const { server_url, name } of servers) {
    expect(server_url).toMatch(/^https:\/\//)
    expect(name).not.toBe('')
  }
  expect(new Set(servers.map(({ uuid }) => uuid)).size).toBe(servers.length)
})

it('sends no request without a configured registry', async () => {
  const closed = await openTestConnectors({ registryUrl: null })
  expect(await browseServers(closed)).toEqual(shippedServers)
  expect(await closed.database.db.selectFrom('connector_catalogue').selectAll().execute()).toEqual([])
  await closed.close()
})
