import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { startApiKeyMcpServer, type ApiKeyMcpServer } from '../../testing/mcp/api-key-mcp-server.ts'
import { openTestConnectors, type TestConnectors } from '../../testing/mcp/open-test-connectors.ts'
import { disconnectConnector } from '../connector-state.ts'
import { deleteConnector } from '../connector-store.ts'
import { changeConnector } from '../save-connector.ts'
import { callTool } from './call-tool.ts'
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
  // Connected first, because allowing a tool stores its known definition.
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

/** Starts a call that has to wait for a slot, runs `happens`, and then frees the slot. */
async function callMeanwhile(happens: () => Promise<unknown>, approval: CallApproval = 'listed') {
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

describe('a call that has waited for a slot', () => {
  it('runs when nothing has changed', async () => {
    const { outcome } = await callMeanwhile(() => Promise.resolve())
    expect(outcome).toMatchObject({ status: 'done', text: 'found' })
  })

  it.each([
    ['disconnected', /is disconnected/, () => disconnectConnector(connectors, connector)],
    ['deleted', /was deleted/, () => deleteConnector(connectors.database.db, ada, connector.id)],
    ['given another address', /is disconnected/, () => change({ url: `${server.origin}/other` })],
    [
      'deleted and added again',
      /was deleted/,
      async () => {
        await deleteConnector(connectors.database.db, ada, connector.id)
        await connectors.connect('ada', { name: connector.name, url: server.url })
      },
    ],
    [
      'refreshed with another definition of its tool',
      /has changed/,
      () =>
        connectors.database.db
          .updateTable('connector_tools')
          .set({ fingerprint: 'another' })
          .where('connector_id', '=', connector.id)
          .execute(),
    ],
  ])('fails without a request when its connector was %s meanwhile', async (_, text, happens) => {
    const { outcome, sent } = await callMeanwhile(happens)
    expect(outcome).toMatchObject({ status: 'failed', text: expect.stringMatching(text) as string })
    expect(sent).toEqual([])
    expect(await records()).toMatchObject([{ outcome: 'failed', duration: 0 }])
  })

  it('fails without a request when its tool needs approval by then (§4.18)', async () => {
    const { outcome, sent } = await callMeanwhile(() => change({ allow_tools: [] }))
    expect(outcome).toMatchObject({
      status: 'failed',
      text: expect.stringContaining('needs approval') as string,
    })
    expect(sent).toEqual([])
  })

  it('runs when the user approved this call, even if the allow list has changed', async () => {
    const { outcome } = await callMeanwhile(() => change({ allow_tools: [] }), 'once')
    expect(outcome).toMatchObject({ status: 'done', text: 'found' })
  })

  it('uses the token that is stored by then', async () => {
    const { outcome, sent } = await callMeanwhile(() => change({ token: 'a-newer-one' }))
    expect(outcome.status).toBe('done')
    expect(new Set(sent.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer a-newer-one']))
  })
})
