import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseConfig } from '../config/config.ts'
import { addDefaultConnectors } from '../connectors/sync-connectors.ts'
import { openCredential } from '../db/secrets/credential.ts'
import { botKeyContext } from '../db/secrets/seal-contexts.ts'
import { createSealer } from '../db/secrets/seal-secret.ts'
import { engines, openTestDatabase, type TestDatabase } from '../testing/database/test-database.ts'
import { addUser } from '../testing/factories/users.ts'
import { listBots } from './bot-store.ts'
import { insertDefaultBots } from './default-bots.ts'

const sealer = createSealer('a secret of tests that is long enough')
const user = { id: 'ada' }

describe.each(engines)('default bots on %s', (engine) => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await openTestDatabase(engine)
    await addUser(database.db, user)
  })

  afterEach(() => database.close())

  async function insert(environment: Readonly<Record<string, string>>) {
    const config = parseConfig(environment)
    await database.db.transaction().execute((trx) =>
      insertDefaultBots(trx, user, {
        config,
        sealer,
        now: () => 1_000,
        addConnectors: addDefaultConnectors,
      }),
    )
    return listBots(database.db, user)
  }

  it('are the demo bot when no provider is configured', async () => {
    const bots = await insert({})
    expect(bots).toMatchObject([{ name: 'Yonder Demo', model: 'demo', base_url: null, api_key: null }])
  })

  it("are the operator's bots in the operator's order, as ordinary bots", async () => {
    const named = [
      { name: 'Zebra', model: 'z' },
      { name: 'Ant', model: 'a', api_type: 'anthropic', max_tokens: 100, title_model: 't' },
      {
        name: 'Mole',
        model: 'm',
        base_url: 'https://models.example.com/v1',
        api_key: 'the-operators-choice',
      },
    ]
    const bots = await insert({ DEFAULT_BOTS: JSON.stringify(named) })
    expect(bots).toMatchObject([
      { name: 'Zebra', model: 'z', user_id: user.id },
      { name: 'Ant', api_type: 'anthropic', max_tokens: 100, title_model: 't' },
      { name: 'Mole', base_url: 'https://models.example.com/v1' },
    ])
    const mole = bots[2]!
    expect(openCredential(sealer, botKeyContext(mole), mole.api_key ?? '')).toEqual({
      secret: 'the-operators-choice',
      address: 'https://models.example.com',
    })
  })

  it('are none when a provider is configured and no bot is named', async () => {
    expect(await insert({ DEFAULT_MODEL_BASE_URL: 'https://models.example.com/v1' })).toEqual([])
  })

  it('are none when the operator names an empty list', async () => {
    expect(await insert({ DEFAULT_BOTS: '[]' })).toEqual([])
  })
})
