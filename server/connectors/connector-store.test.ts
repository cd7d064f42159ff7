import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashTables } from '../testing/database/hash-tables.ts'
import { engines } from '../testing/database/test-database.ts'
import { openTestConnectors, type TestConnectors } from '../testing/mcp/open-test-connectors.ts'
import { insertToolCall, updateToolCall } from './calls/call-record-store.ts'
import { requireConnector, resetConnector, updateConnectorState } from './connector-store.ts'
import { createConnector } from './save-connector.ts'

describe.each(engines)('the rows of a connector on %s', (engine) => {
  let connectors: TestConnectors

  beforeAll(async () => {
    connectors = await openTestConnectors({ engine })
  })
  afterAll(() => connectors.close())

  it('are not changed for another user', async () => {
    const { db } = connectors.database
    const ada = await connectors.addUser('ada')
    const eve = await connectors.addUser('eve')
    await createConnector(connectors, ada, { name: 'Tools', url: 'https://tools.example/mcp' })
    const connector = await requireConnector(db, ada, 'Tools')
    await insertToolCall(db, {
      id: 'call',
      user_id: ada.id,
      connector_id: connector.id,
      connector: connector.name,
      tool: 'act',
      arguments_hash: 'hash',
      approval: 'once',
      outcome: 'started',
      started_at: 1,
      chat_id: null,
      session: null,
      message_id: null,
      decided_at: null,
      decided_on: null,
      grant_id: null,
      edited: 0,
      duration: null,
      bytes: null,
    })
    const before = await hashTables(connectors.database)
    const foreign = { ...connector, user_id: eve.id }
    expect(await updateConnectorState(db, foreign, { status: 'failed' })).toBe(false)
    await resetConnector(db, foreign, 7)
    await updateToolCall(db, eve, 'call', { outcome: 'done', duration: 1, bytes: 1 })
    expect(await hashTables(connectors.database)).toEqual(before)
  })
})
