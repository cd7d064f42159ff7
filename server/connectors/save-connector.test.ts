import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { engines } from '../testing/database/test-database.ts'
import { openTestConnectors, type TestConnectors } from '../testing/mcp/open-test-connectors.ts'
import { listConnectors } from './connector-store.ts'
import { createConnector } from './save-connector.ts'

describe.each(engines)('creating connectors on %s', (engine) => {
  let deps: TestConnectors

  beforeEach(async () => {
    deps = await openTestConnectors({ engine, now: () => 1_000 })
  })

  afterEach(() => deps.close())

  it('lists connectors in the order of creation, even when all are created in the same millisecond', async () => {
    const user = await deps.addUser('ada')
    const names = ['Zebra', 'Ant', 'Mole', 'Bee', 'Yak', 'Cat']
    for (const name of names) await createConnector(deps, user, { name, url: 'https://tools.example/mcp' })
    const listed = await listConnectors(deps.database.db, user)
    expect(listed.map(({ name }) => name)).toEqual(names)
  })
})
