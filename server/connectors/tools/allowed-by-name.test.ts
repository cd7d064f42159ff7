import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { engines } from '../../testing/database/test-database.ts'
import { openTestConnectors, type TestConnectors } from '../../testing/mcp/open-test-connectors.ts'
import { startSloppyMcpServer, usualTool, type SloppyMcpServer } from '../../testing/mcp/sloppy-mcp-server.ts'
import { deleteConnector, requireConnector } from '../connector-store.ts'
import { changeConnector } from '../save-connector.ts'
import { refreshTools } from './refresh-tools.ts'
import { resolveTool } from './resolve-tool.ts'

const ada = { id: 'ada' }
const name = 'Tools'
const act = (description?: string) => ({ ...usualTool, description })

describe.each(engines)('a tool that is allowed by name before it was read, on %s', (engine) => {
  let connectors: TestConnectors
  let other: TestConnectors
  let server: SloppyMcpServer
  /** What the server lists, one after the other; the last one stays. */
  let lists: object[][] = []

  beforeAll(async () => {
    server = await startSloppyMcpServer({
      'tools/list': ({ id }) => ({
        jsonrpc: '2.0',
        id,
        result: { tools: lists.length > 1 ? lists.shift() : lists[0] },
      }),
    })
    connectors = await openTestConnectors({ engine })
    other = await openTestConnectors({ database: connectors.database })
    await connectors.addUser('ada')
  })
  beforeEach(() => {
    lists = [[act()]]
  })
  afterAll(async () => {
    await other.close()
    await connectors.close()
    await server.close()
  })

  const current = () => requireConnector(connectors.database.db, ada, name)
  const remove = async () => deleteConnector(connectors.database.db, ada, (await current()).id)
  const connect = (...allow_tools: string[]) =>
    connectors.connect('ada', { name, url: server.url, allow_tools })
  const refresh = async () => refreshTools(connectors, await current())
  const save = (allow_tools: string[], url = server.url) =>
    changeConnector(connectors, ada, name, { name, url, allow_tools })
  async function decisionOf(toolName: string): Promise<string> {
    const { id: connectorId } = await current()
    const found = await resolveTool(connectors, ada, { connectorId, connectorName: name, toolName })
    return found.kind === 'missing' ? found.kind : found.decision.kind
  }

  it('runs from the first list on, until it changes', async () => {
    await connect('act')
    expect(await decisionOf('act')).toBe('run')
    await refresh()
    expect(await decisionOf('act')).toBe('run')
    lists = [[act('Does something else.')]]
    await refresh()
    expect(await decisionOf('act')).toBe('ask_changed')
    await save(['act'])
    await refresh()
    expect(await decisionOf('act')).toBe('ask_changed')
    await remove()
  })

  it('runs when its connector is deleted and added again', async () => {
    await connect('act')
    lists = [[act('Does something else.')]]
    await remove()
    await connect('act')
    expect(await decisionOf('act')).toBe('run')
    await remove()
  })

  it('runs when a known server lists it later, and others ask', async () => {
    await connect('later')
    lists = [[act(), { ...usualTool, name: 'later' }]]
    await refresh()
    expect([await decisionOf('act'), await decisionOf('later')]).toEqual(['ask', 'run'])
    lists = [[act()]]
    await refresh()
    expect(await decisionOf('later')).toBe('missing')
    lists = [[{ ...usualTool, name: 'later', description: 'Does something else.' }]]
    await refresh()
    expect(await decisionOf('later')).toBe('ask_changed')
    await remove()
  })

  it('runs from the first usable definition on', async () => {
    lists = [[{ name: 'act', inputSchema: 'none' }], [act()], [act('Does something else.')]]
    await connect('act')
    expect(await decisionOf('act')).toBe('ask')
    await refresh()
    expect(await decisionOf('act')).toBe('run')
    await refresh()
    expect(await decisionOf('act')).toBe('ask_changed')
    await remove()
  })

  it('asks at another address until it is allowed there', async () => {
    await connect('act')
    const moved = `${server.url}?moved`
    await save(['act'], moved)
    await save(['act'], moved)
    expect(await decisionOf('act')).toBe('missing')
    const row = await current()
    await connectors.database.db
      .updateTable('connectors')
      .set({ status: 'connected' })
      .where('id', '=', row.id)
      .execute()
    await refresh()
    expect(await decisionOf('act')).toBe('run')
    await save(['act'])
    await refresh()
    expect(await decisionOf('act')).toBe('ask')
    await remove()
  })

  it('is the one that one of two nodes read first', async () => {
    await connect('act')
    const { id } = await current()
    const { db } = connectors.database
    const permissions = () => db.selectFrom('tool_permissions').selectAll().where('connector_id', '=', id)
    await db
      .updateTable('tool_permissions')
      .set({ fingerprint: null, definition: null })
      .where('connector_id', '=', id)
      .execute()
    lists = [[act('One.')], [act('Two.')]]
    const row = await current()
    await Promise.all([connectors, other].map((node) => refreshTools(node, row)))
    const [first] = await permissions().execute()
    expect(first?.fingerprint).not.toBeNull()
    await refresh()
    await refreshTools(other, row)
    expect(await permissions().execute()).toEqual([first])
    expect(await decisionOf('act')).toBe(first?.definition?.includes('Two.') ? 'run' : 'ask_changed')
    await remove()
  })

  it('runs after a list that was saved without its definition is saved again', async () => {
    await connect('act')
    await connectors.database.db
      .updateTable('tool_permissions')
      .set({ fingerprint: null, definition: null })
      .where('name', '=', 'act')
      .execute()
    expect(await decisionOf('act')).toBe('ask')
    await save(['act'])
    expect(await decisionOf('act')).toBe('run')
    await remove()
  })
})
