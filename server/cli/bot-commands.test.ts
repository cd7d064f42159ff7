import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listBots } from '../bots/bot-store.ts'
import { insertDefaultBots } from '../bots/default-bots.ts'
import { changeBot } from '../bots/save-bot.ts'
import { parseConfig } from '../config/config.ts'
import { addDefaultConnectors } from '../connectors/sync-connectors.ts'
import { openCredential } from '../db/secrets/credential.ts'
import { insertKey } from '../db/secrets/key-store.ts'
import { botKeyContext, installationKeyContext } from '../db/secrets/seal-contexts.ts'
import { createSealer } from '../db/secrets/seal-secret.ts'
import type { UserRow } from '../db/tables/tables.ts'
import { toUser } from '../identity/users/user-store.ts'
import { hashTables } from '../testing/database/hash-tables.ts'
import {
  engines,
  isConcurrent,
  openTestDatabase,
  type TestDatabase,
} from '../testing/database/test-database.ts'
import { addUser } from '../testing/factories/users.ts'
import { testSecret } from '../testing/identity/identity-server.ts'
import { runYonder } from '../testing/run-yonder.ts'

const sealer = createSealer(testSecret)
const baseUrl = 'https://models.example/v1'
const first = [
  { name: 'Claude', model: 'old', base_url: baseUrl, api_key: 'key-of-the-operator' },
  { name: 'Gone', model: 'gone' },
]
const second = [
  {
    name: 'Claude',
    model: 'new',
    base_url: baseUrl,
    api_key: 'key-of-the-operator',
    instructions: 'Be brief.',
  },
  { name: 'Fresh', model: 'fresh' },
]

describe.each(engines.filter(isConcurrent))('yonder bots on %s', (engine) => {
  let database: TestDatabase
  let users: UserRow[]
  beforeEach(async () => {
    database = await openTestDatabase(engine)
    await insertKey(database.db, 'form', sealer.seal('a key', installationKeyContext('form')), 1)
    users = [await addUser(database.db, { id: 'ada' }), await addUser(database.db, { id: 'eve' })]
    const config = parseConfig({ DEFAULT_BOTS: JSON.stringify(first) })
    for (const user of users)
      await insertDefaultBots(database.db, user, {
        config,
        sealer,
        now: () => 1,
        addConnectors: addDefaultConnectors,
      })
  })
  afterEach(() => database.close())

  async function run(parameters: readonly string[], bots: unknown = second) {
    const { dataDir, databaseUrl } = database.location
    const settings = { SECRET_KEY: testSecret, DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? '' }
    return runYonder(['bots', ...parameters], {
      settings: { ...settings, DEFAULT_BOTS: JSON.stringify(bots) },
    })
  }
  const read = async (id: string) =>
    (await listBots(database.db, { id })).map(({ name, model, instructions }) => [name, model, instructions])
  const save = (user: UserRow, input: object) =>
    changeBot(database, { sealer, config: parseConfig({}) }, toUser(user), 'Claude', {
      name: 'Claude',
      model: 'old',
      connectorIds: undefined,
      ...input,
    })

  it('replaces copies that users have not changed, with the key, and keeps the others', async () => {
    const [ada, eve] = users as [UserRow, UserRow]
    // Saved without a change, and with one.
    await save(ada, { base_url: baseUrl })
    await save(eve, { temperature: 1 })
    const { code, stdout } = await run(['update', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual([
      {
        name: 'Claude',
        model: 'new',
        current: 0,
        outdated: 1,
        changed: 1,
        missing: 0,
        withdrawn: 0,
        done: 1,
      },
      {
        name: 'Fresh',
        model: 'fresh',
        current: 0,
        outdated: 0,
        changed: 0,
        missing: 2,
        withdrawn: 0,
        done: 0,
      },
      { name: 'Gone', model: null, current: 0, outdated: 0, changed: 0, missing: 0, withdrawn: 2, done: 0 },
    ])
    expect(await read('ada')).toEqual([
      ['Claude', 'new', 'Be brief.'],
      ['Gone', 'gone', null],
    ])
    expect(await read('eve')).toEqual([
      ['Claude', 'old', null],
      ['Gone', 'gone', null],
    ])
    const claude = (await listBots(database.db, ada))[0]!
    expect(openCredential(sealer, botKeyContext(claude), claude.api_key ?? '').secret).toBe(
      'key-of-the-operator',
    )
    expect((await run(['list'])).stdout.split('\n').slice(0, 2)).toEqual([
      'NAME    MODEL  CURRENT  OUTDATED  CHANGED  MISSING  WITHDRAWN',
      'Claude  new          1         0        1        0          0',
    ])
  })

  it('changes a copy again whenever the setting changes', async () => {
    await run(['update'])
    await run(['update'], [{ ...second[0], model: 'newer' }])
    expect((await read('ada'))[0]).toEqual(['Claude', 'newer', 'Be brief.'])
  })

  it("keeps a bot whose only change is the user's own key", async () => {
    await save(users[0]!, { api_key: 'key-of-ada' })
    await run(['update'])
    expect((await read('ada'))[0]).toEqual(['Claude', 'old', null])
  })

  it('adds, removes and forces only when told to, and asks before it destroys', async () => {
    await save(users[1]!, { temperature: 1 })
    const before = await hashTables(database)
    for (const parameters of [['list'], ['update', '--dry-run', '--add', '--remove', '--force']])
      expect((await run(parameters)).code).toBe(0)
    expect((await run(['update', '--force'])).code).toBe(2)
    expect((await run(['update', '--remove'])).code).toBe(2)
    expect(await hashTables(database)).toEqual(before)
    const { code } = await run(['update', '--add', '--remove', '--force', '--yes'])
    expect(code).toBe(0)
    for (const id of ['ada', 'eve'])
      expect(await read(id)).toEqual([
        ['Claude', 'new', 'Be brief.'],
        ['Fresh', 'fresh', null],
      ])
  })

  it('marks what is equal already, so that the next change reaches bots of earlier versions', async () => {
    await database.db.updateTable('bots').set({ is_default: 0 }).execute()
    await run(['update'], first)
    await run(['update'])
    expect((await read('eve'))[0]).toEqual(['Claude', 'new', 'Be brief.'])
  })

  it('says that there are no default bots', async () => {
    await database.db.deleteFrom('bots').execute()
    expect((await run(['list'], [])).stdout).toBe(
      'There are no default bots: DEFAULT_BOTS is not set, or is empty.\n',
    )
  })
})
