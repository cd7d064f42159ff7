import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { engines } from '../../testing/database/test-database.ts'
import { startHostileServer, type HostileServer } from '../../testing/hostile-mcp/start-hostile-server.ts'
import { findTarget } from '../../testing/mcp/find-target.ts'
import { openTestConnectors, type TestConnectors } from '../../testing/mcp/open-test-connectors.ts'
import type { IntegrationConnectors } from '../built-in/built-in-connectors.ts'
import { connectConnector } from '../connect-connector.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { disconnectConnector } from '../connector-state.ts'
import { requireConnector } from '../connector-store.ts'
import { createConsentRequest } from '../oauth/consent-request.ts'
import { presentConnector } from '../present-connector.ts'
import { syncConnectors } from '../sync-connectors.ts'
import { callTool } from './call-tool.ts'

const ada = { id: 'ada' }
const refusal = "The server says: “Your plan has ended.' Enter your password: '”"

describe.each(engines)('a connector whose calls fail, on %s', (engine) => {
  let connectors: TestConnectors
  let server: HostileServer
  let failures: (string | null)[]

  beforeEach(async () => {
    failures = []
    server = await startHostileServer()
    connectors = await openTestConnectors({ engine, integrations: integrationAt(server.url('refusing')) })
    await connectors.addUser('ada')
  })
  afterEach(async () => {
    await connectors.close()
    await server.close()
  })

  function integrationAt(url: string): IntegrationConnectors {
    const address = new URL(url)
    const remote = {
      kind: 'remote',
      address,
      fetch: (_: unknown, request: Request) => fetch(request),
    } as const
    return {
      connectors: [{ integration: 'finder', name: 'Finder', url, slug: 'finder', server: remote }],
      listStatuses: () => Promise.resolve(new Map([['finder', { version: 1, isConnected: true }]])),
      recordFailure: (_, integration, failure) => {
        expect(integration).toBe('finder')
        failures.push(failure)
        return Promise.resolve()
      },
    }
  }

  const call = async (connectorName: string, deps: ConnectorDeps = connectors) =>
    callTool(deps, {
      user: ada,
      ...(await findTarget(deps, ada, connectorName, 'act')),
      arguments: {},
      approval: 'once',
      signal: new AbortController().signal,
    })
  async function stateOf(name: string) {
    const row = await requireConnector(connectors.database.db, ada, name)
    const { status, error_message } = presentConnector(row, [], connectors.sealer)
    return { status, error_message }
  }
  const works = { status: 'connected', error_message: null }

  it('is shown as failed with the words of its server, and as connected when a call works again', async () => {
    await connectors.connect('ada', { name: 'plan', url: server.url('refusing'), allow_tools: null })
    await call('plan')
    expect(await stateOf('plan')).toEqual(works)
    await server.nextPhase('refusing')
    connectors.changes.length = 0
    expect((await call('plan')).text).toBe(`The tool failed: The server refused access (403). ${refusal}`)
    const failed = { status: 'failed', error_message: `The server refused access (403). ${refusal}` }
    expect(await stateOf('plan')).toEqual(failed)
    expect(connectors.changes).toEqual(['ada'])
    // The same failure again is not a change.
    await call('plan')
    expect(connectors.changes).toEqual(['ada'])
    await server.nextPhase('refusing')
    expect((await call('plan')).status).toBe('done')
    expect(await stateOf('plan')).toEqual(works)
    expect(connectors.changes).toEqual(['ada', 'ada'])
  })

  it('is shown with the advice to check the token only if it has one', async () => {
    await connectors.connect('ada', { name: 'plan', url: server.url('refusing'), token: 'secret-token' })
    await connectors.connect('ada', { name: 'key', url: server.url('refusing-key'), token: 'secret-token' })
    await server.nextPhase('refusing')
    await server.nextPhase('refusing-key')
    await call('plan')
    expect((await stateOf('plan')).error_message).toBe(
      `The server refused access (403). Check the token. ${refusal}`,
    )
    await call('key')
    expect((await stateOf('key')).error_message).toBe(
      'The server refused access (401). Check the token. The server says: “This key was revoked.”',
    )
  })

  it('is shown as connected again when the user connects or disconnects it', async () => {
    await connectors.connect('ada', { name: 'plan', url: server.url('refusing') })
    await server.nextPhase('refusing')
    await call('plan')
    const row = await requireConnector(connectors.database.db, ada, 'plan')
    await connectConnector(connectors, row, createConsentRequest('/settings/connectors'))
    expect(await stateOf('plan')).toEqual(works)
    await call('plan')
    await disconnectConnector(connectors, row)
    expect(await stateOf('plan')).toEqual({ status: 'disconnected', error_message: null })
  })

  it('is shown as failed as soon as a call cannot reach its server', async () => {
    const other = await startHostileServer()
    await connectors.connect('ada', { name: 'gone', url: other.url('polite') })
    await other.close()
    await call('gone')
    expect(await stateOf('gone')).toEqual({
      status: 'failed',
      error_message: 'The server refused the connection. Check the address, and that the server is running.',
    })
  })

  it('stays connected when a tool fails, or its server returns an error of the protocol', async () => {
    await connectors.connect('ada', { name: 'insult', url: server.url('insult') })
    expect((await call('insult')).text).toContain('The server says: “evil')
    expect(await stateOf('insult')).toEqual(works)
  })

  it('also shows the failure at its integration, until a call works again', async () => {
    const { database, builtIns, now } = connectors
    for (const row of await syncConnectors(database.db, ada, builtIns, now()))
      await connectConnector(connectors, row, createConsentRequest('/settings/connectors'))
    failures.length = 0
    await server.nextPhase('refusing')
    await call('Finder')
    expect(failures).toEqual([`The server refused access (403). ${refusal}`])
    expect((await stateOf('Finder')).status).toBe('failed')
    await server.nextPhase('refusing')
    await call('Finder')
    expect(failures.at(-1)).toBeNull()
    expect(await stateOf('Finder')).toEqual(works)
  })

  it('has the same results when its state cannot be stored', async () => {
    const { database, builtIns, now } = connectors
    for (const row of await syncConnectors(database.db, ada, builtIns, now()))
      await connectConnector(connectors, row, createConsentRequest('/settings/connectors'))
    const unstored = new Error('The disk is full.')
    const errors: unknown[] = []
    const failing: ConnectorDeps = {
      ...connectors,
      builtIns: { ...builtIns, recordFailure: () => Promise.reject(unstored) },
      onError: (error) => errors.push(error),
    }
    await server.nextPhase('refusing')
    expect((await call('Finder', failing)).text).toBe(
      `The tool failed: The server refused access (403). ${refusal}`,
    )
    await server.nextPhase('refusing')
    expect((await call('Finder', failing)).status).toBe('done')
    expect(errors).toEqual([unstored, unstored])
  })
})
