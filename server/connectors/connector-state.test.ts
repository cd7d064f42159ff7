import { expect, it } from 'vitest'
import { startHostileServer } from '../testing/hostile-mcp/start-hostile-server.ts'
import { openTestConnectors } from '../testing/mcp/open-test-connectors.ts'
import { requireConnector } from './connector-store.ts'
import { refreshTools } from './tools/refresh-tools.ts'

it('a background refresh notifies pages once, of visible changes only', async () => {
  const server = await startHostileServer()
  const connectors = await openTestConnectors()
  try {
    const user = await connectors.addUser('ada')
    const connector = await connectors.connect('ada', { url: server.url('polite') })
    expect(connectors.changes).toEqual(['ada'])
    await refreshTools(connectors, connector)
    expect(connectors.changes).toEqual(['ada'])
    await server.close()
    await expect(refreshTools(connectors, connector)).rejects.toThrow()
    expect((await requireConnector(connectors.database.db, user, connector.name)).status).toBe('failed')
    expect(connectors.changes).toEqual(['ada', 'ada'])
    await expect(refreshTools(connectors, connector)).rejects.toThrow()
    expect(connectors.changes).toEqual(['ada', 'ada'])
  } finally {
    await connectors.close()
  }
})
