import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSealer } from '../db/secrets/seal-secret.ts'
import { addUser } from '../testing/factories/users.ts'
import { engines, openTestDatabase } from '../testing/database/test-database.ts'
import type { TestDatabase } from '../testing/database/test-database.ts'
import { listConnectors } from './connector-store.ts'
import { createConnector } from './save-connector.ts'

const user = { id: 'ada' }
const options = {
  sealer: createSealer('a secret of tests that is long enough'),
  reservedNames: new Set<string>(),
  maxConnectors: 10,
  now: 1_000,
}

describe.each(engines)('a new connector on %s', (engine) => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await openTestDatabase(engine)
    await addUser(database.db, user)
  })

  afterEach(() => database.close())

  it('is listed last, also when all were created in the same millisecond', async () => {
    const names = ['Zebra', 'Ant', 'Mole', 'Bee', 'Yak', 'Cat']
    for (const name of names) {
      await createConnector(database, user, { name, url: 'https://tools.example/mcp' }, options)
    }
    const listed = await listConnectors(database.db, user)
    expect(listed.map(({ name }) => name)).toEqual(names)
  })
})
