import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { startApiKeyMcpServer } from '../../testing/mcp/api-key-mcp-server.ts'
import type { ApiKeyMcpServer } from '../../testing/mcp/api-key-mcp-server.ts'
import { openTestConnectors } from '../../testing/mcp/open-test-connectors.ts'
import type { TestConnectors } from '../../testing/mcp/open-test-connectors.ts'
import { callTool } from './call-tool.ts'
import { changeConnector } from '../save-connector.ts'
import { deleteConnector } from '../connector-store.ts'
import { disconnectConnector } from '../connector-state.ts'
import type { CallApproval } from './tool-call.ts'

const ada = { id: 'ada' }
let connectors: TestConnectors
let server: ApiKeyMcpServer
let connector: ConnectorRow
let count = 0

beforeAll(async () => {
  server = await startApiKeyMcpServer()
  connectors = await openTestConnectors({ limits: { maxCallsPerConnector: 1 } })
  await connectors.addUser('ada')
})

beforeEach(async () => {
  connector = await connectors.connect('ada', { name: `Keyed ${++count}`, url: server.url })
  // A tool is allowed as it is known.
  connector = await change({ allow_tools: ['search'] })
})

afterAll(async () => {
  await connectors.close()
  await server.close()
})

function change(fields: { name?: string; url?: string; token?: string; allow_tools?: string[] }) {
  const { name, url } = connector
  return changeConnector(connectors, ada, name, { name, url, ...fields })
}

const records = () =>
  connectors.database.db
    .selectFrom('tool_calls')
    .selectAll()
    .where('connector_id', '=', connector.id)
    .execute()

/** Has a call wait for its slot while something happens. */
async function callMeanwhile(happens: () => Promise<unknown>, approval: CallApproval = 'listed') {
  const { release } = await connectors.shared.callLimiter.acquire(
    [{ key: `connector ${connector.id}`, maxConcurrent: 1 }],
    AbortSignal.timeout(10_000),
  )
  const called = callTool(connectors, {
    user: ada,
    connectorName: connector.name,
    toolName: 'search',
    arguments: {},
    approval,
    signal: AbortSignal.timeout(10_000),
  })
  await vi.waitFor(async () => expect(await records()).toMatchObject([{ outcome: 'started' }]))
  await happens()
  const before = server.seen.length
  release()
  const outcome = await called
  return { outcome, sent: server.seen.slice(before) }
}

describe('a call that has waited in the concurrency limiter', () => {
  it('runs when nothing has changed', async () => {
    const { outcome } = await callMeanwhile(() => Promise.resolve())
    expect(outcome).toMatchObject({ status: 'done', text: 'found' })
  })

  it.each([
    ['disconnected', /is disconnected/, () => disconnectConnector(connectors, connector)],
    ['deleted', /was deleted/, () => deleteConnector(connectors.database.db, ada, connector.id)],
    ['sent to another address', /is disconnected/, () => change({ url: `${server.origin}/other` })],
    [
      'deleted and added again',
      /was deleted/,
      async () => {
        await deleteConnector(connectors.database.db, ada, connector.id)
        await connectors.connect('ada', { name: connector.name, url: server.url })
      },
    ],
    [
      'offered with another definition of its tool',
      /has changed/,
      () =>
        connectors.database.db
          .updateTable('connector_tools')
          .set({ fingerprint: 'another' })
          .where('connector_id', '=', connector.id)
          .execute(),
    ],
  ])('is not made when its connector was %s meanwhile, and says so (§12.17)', async (_, text, happens) => {
    const { outcome, sent } = await callMeanwhile(happens)
    expect(outcome).toMatchObject({ status: 'failed', text: expect.stringMatching(text) as string })
    expect(sent).toEqual([])
    expect(await records()).toMatchObject([{ outcome: 'failed', duration: 0 }])
  })

  it('does not run when its tool needs approval by then, and says so (§4.18, §12.17)', async () => {
    const { outcome, sent } = await callMeanwhile(() => change({ allow_tools: [] }))
    expect(outcome).toMatchObject({
      status: 'failed',
      text: expect.stringContaining('without asking') as string,
    })
    expect(sent).toEqual([])
  })

  it('runs when the user approved this call, whatever the list says meanwhile', async () => {
    const { outcome } = await callMeanwhile(() => change({ allow_tools: [] }), 'once')
    expect(outcome).toMatchObject({ status: 'done', text: 'found' })
  })

  it('uses the token that is stored by then', async () => {
    const { outcome, sent } = await callMeanwhile(() => change({ token: 'a-newer-one' }))
    expect(outcome.status).toBe('done')
    expect(new Set(sent.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer a-newer-one']))
  })
})
