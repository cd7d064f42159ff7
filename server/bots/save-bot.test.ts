import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSealer } from '../db/secrets/seal-secret.ts'
import { engines, openTestDatabase, type TestDatabase } from '../testing/database/test-database.ts'
import { addUser } from '../testing/factories/users.ts'
import { listBots } from './bot-store.ts'
import { createBot } from './save-bot.ts'

const deps = {
  sealer: createSealer('a secret of tests that is long enough'),
  config: { defaultModel: null },
}
const user = { id: 'ada' }

describe.each(engines)('a new bot on %s', (engine) => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await openTestDatabase(engine)
    await addUser(database.db, user)
  })

  afterEach(() => database.close())

  it('is listed last, also when all were created in the same millisecond', async () => {
    const names = ['Zebra', 'Ant', 'Mole', 'Bee', 'Yak', 'Cat']
    for (const name of names)
      await createBot(database.db, deps, user, { name, model: 'm', connectorIds: null }, 1_000)
    await createBot(database.db, deps, user, { name: 'Later', model: 'm', connectorIds: null }, 5_000)
    const bots = await listBots(database.db, user)
    expect(bots.map(({ name }) => name)).toEqual([...names, 'Later'])
    expect(bots.at(-1)?.created_at).toBe(5_000)
  })
})
