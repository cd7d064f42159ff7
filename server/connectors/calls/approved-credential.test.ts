import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { engines } from '../../testing/database/test-database.ts'
import { startApiKeyMcpServer, type ApiKeyMcpServer } from '../../testing/mcp/api-key-mcp-server.ts'
import { openTestConnectors, type TestConnectors } from '../../testing/mcp/open-test-connectors.ts'
import { credentialIdOf, requireConnector } from '../connector-store.ts'
import { changeGrant, findGrant, saveGrant } from '../oauth/grant-store.ts'
import { changeConnector } from '../save-connector.ts'
import { listPermissions } from '../tools/permission-store.ts'
import { resolveTool } from '../tools/resolve-tool.ts'
import { callTool } from './call-tool.ts'

const ada = { id: 'ada' }

describe.each(engines)('an approved call that waits for a slot, on %s', (engine) => {
  let connectors: TestConnectors
  let server: ApiKeyMcpServer
  let connector: ConnectorRow
  let count = 0

  beforeAll(async () => {
    server = await startApiKeyMcpServer()
    connectors = await openTestConnectors({ engine, limits: { maxCallsPerConnector: 1 } })
    await connectors.addUser('ada')
  })

  beforeEach(async () => {
    connector = await connectors.connect('ada', { name: `Keyed ${++count}`, url: server.url })
  })

  afterAll(async () => {
    await connectors.close()
    await server.close()
  })

  const fields = () => ({ name: connector.name, url: connector.url })
  const change = (credentials: { token?: string; client_id?: string }) =>
    changeConnector(connectors, ada, connector.name, { ...fields(), ...credentials })

  const tokens = { tokens: { access_token: 'token', token_type: 'Bearer' }, expiresAt: null }
  const details = { client: null, discovery: null, wantedScope: null, confirmed: [] }
  const consent = () => saveGrant(connectors, connector, { issuer: server.origin, tokens, details })
  async function refresh() {
    const grant = await findGrant(connectors, connector)
    if (grant === undefined) throw new Error('There is no grant.')
    expect(await changeGrant(connectors, connector, grant, { tokens })).toBe(true)
  }

  async function callMeanwhile(happens: () => Promise<unknown>) {
    const { release } = await connectors.shared.callLimiter.acquire(
      [{ key: `connector ${connector.id}`, maxConcurrent: 1 }],
      AbortSignal.timeout(10_000),
    )
    const called = callTool(connectors, {
      user: ada,
      connectorId: connector.id,
      connectorName: connector.name,
      toolName: 'search',
      arguments: {},
      approval: 'once',
      credential: credentialIdOf(connector),
      signal: AbortSignal.timeout(10_000),
    })
    const records = connectors.database.db
      .selectFrom('tool_calls')
      .select('outcome')
      .where('connector_id', '=', connector.id)
    await vi.waitFor(async () => expect(await records.execute()).toEqual([{ outcome: 'started' }]))
    await happens()
    const before = server.seen.length
    release()
    const outcome = await called
    return { outcome, sent: server.seen.slice(before), records: await records.execute() }
  }

  it.each([
    ['another token is entered', () => change({ token: 'another' })],
    ['another client is entered', () => change({ client_id: 'another' })],
    ['the user consents again', consent],
  ])('fails without a request when %s meanwhile', async (_, happens) => {
    const { outcome, sent, records } = await callMeanwhile(happens)
    expect(outcome).toMatchObject({
      status: 'failed',
      text: expect.stringContaining('since approval was requested') as string,
    })
    expect(sent).toEqual([])
    expect(records).toEqual([{ outcome: 'failed' }])
  })

  it.each([
    ['another token is entered', () => change({ token: 'another' })],
    ['another client is entered', () => change({ client_id: 'another' })],
    ['the user consents again', consent],
  ])('runs without approval after the tool was always allowed and %s', async (_, happens) => {
    await changeConnector(connectors, ada, connector.name, { ...fields(), allow_tools: ['search'] })
    await happens()
    const request = { connectorId: connector.id, connectorName: connector.name, toolName: 'search' }
    expect(await resolveTool(connectors, ada, request)).toMatchObject({
      kind: 'callable',
      decision: { kind: 'run', by: 'listed' },
    })
    const signal = AbortSignal.timeout(10_000)
    const outcome = await callTool(connectors, {
      ...request,
      user: ada,
      arguments: {},
      approval: 'listed',
      signal,
    })
    expect(outcome).toMatchObject({ status: 'done', text: 'found' })
  })

  it('needs approval again for an allowed tool when its connector has another address', async () => {
    await changeConnector(connectors, ada, connector.name, { ...fields(), allow_tools: ['search'] })
    const moved = { ...fields(), url: `${connector.url}?moved`, allow_tools: ['search'] }
    await changeConnector(connectors, ada, connector.name, moved)
    const current = await requireConnector(connectors.database.db, ada, connector.name)
    expect(await listPermissions(connectors.database.db, [current.id])).toEqual([])
    expect(current.asks).toBe(1)
  })

  it('runs when its tokens are refreshed meanwhile', async () => {
    await consent()
    connector = await requireConnector(connectors.database.db, ada, connector.name)
    const { outcome } = await callMeanwhile(refresh)
    expect(outcome).toMatchObject({ status: 'done', text: 'found' })
    expect(await requireConnector(connectors.database.db, ada, connector.name)).toMatchObject({
      credential_version: connector.credential_version,
    })
  })
})
