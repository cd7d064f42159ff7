import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ConnectorRow } from '../db/tables/connector-tables.ts'
import { startApiKeyMcpServer, type ApiKeyMcpServer } from '../testing/mcp/api-key-mcp-server.ts'
import { openTestConnectors, type TestConnectors } from '../testing/mcp/open-test-connectors.ts'
import { connectConnector } from './connect-connector.ts'
import { disconnectConnector } from './connector-state.ts'
import { requireConnector } from './connector-store.ts'
import { createConsentRequest } from './oauth/consent-request.ts'
import { refreshTools } from './tools/refresh-tools.ts'

const ada = { id: 'ada' }
let connectors: TestConnectors
let server: ApiKeyMcpServer
let connector: ConnectorRow
let count = 0

beforeAll(async () => {
  server = await startApiKeyMcpServer()
  connectors = await openTestConnectors()
  await connectors.addUser('ada')
})

beforeEach(async () => {
  connector = await connectors.connect('ada', { name: `Keyed ${++count}`, url: server.url })
})

afterAll(async () => {
  await connectors.close()
  await server.close()
})

const readConnector = () => requireConnector(connectors.database.db, ada, connector.name)

/** Starts a refresh of the tools and disconnects before the server responds. `further` runs before the response. */
async function disconnectMeanwhile(further: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
  let respond = (): void => undefined
  server.behaviour.beforeResponse = () =>
    new Promise<void>((resolve) => {
      respond = resolve
    })
  const before = server.seen.length
  const refreshing = refreshTools(connectors, connector).catch(() => undefined)
  await vi.waitFor(() => expect(server.seen.length).toBeGreaterThan(before))
  await disconnectConnector(connectors, connector)
  server.behaviour.beforeResponse = () => Promise.resolve()
  await further()
  respond()
  await refreshing
}

describe('a connector that is disconnected while its tools are loaded', () => {
  it('stays disconnected when its server responds', async () => {
    await disconnectMeanwhile()
    expect(await readConnector()).toMatchObject({ status: 'disconnected', error_message: null })
  })

  it('stays disconnected when its server refuses the request', async () => {
    server.behaviour.accepts = () => false
    try {
      await disconnectMeanwhile()
    } finally {
      server.behaviour.accepts = () => true
    }
    expect(await readConnector()).toMatchObject({ status: 'disconnected', error_message: null })
  })

  it('is connected again when the user connects it', async () => {
    await disconnectMeanwhile()
    await connectConnector(connectors, await readConnector(), createConsentRequest('/settings/connectors'))
    expect(await readConnector()).toMatchObject({ status: 'connected' })
  })

  it('is connected again when the user returns from consent before the tools are loaded', async () => {
    await disconnectMeanwhile(async () => refreshTools(connectors, await readConnector()))
    expect(await readConnector()).toMatchObject({ status: 'connected' })
  })
})
