import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { insertKey } from '../db/secrets/key-store.ts'
import { installationKeyContext } from '../db/secrets/seal-contexts.ts'
import { createSealer } from '../db/secrets/seal-secret.ts'
import { hashTables } from '../testing/database/hash-tables.ts'
import {
  engines,
  isConcurrent,
  openTestDatabase,
  type TestDatabase,
} from '../testing/database/test-database.ts'
import { usageRecord } from '../testing/factories/usage.ts'
import { addUser } from '../testing/factories/users.ts'
import { testSecret } from '../testing/identity/identity-server.ts'
import { runYonder } from '../testing/run-yonder.ts'

describe.each(engines.filter(isConcurrent))('yonder usage on %s', (engine) => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await openTestDatabase(engine)
    await insertKey(
      database.db,
      'form',
      createSealer(testSecret).seal('a key', installationKeyContext('form')),
      1,
    )
    const ada = await addUser(database.db, { subject: 'local|ada', email: 'ada@example.com' })
    const eve = await addUser(database.db, { subject: 'local|eve' })
    const time = Date.UTC(2026, 10, 24, 23, 30)
    const cost = { cost: 9_007_199_254_740_991, currency: 'USD' }
    const records = [
      usageRecord({ user_id: ada.id, model: 'a', time, input_tokens: 1_200, output_tokens: 30, ...cost }),
      usageRecord({ user_id: ada.id, model: 'a', time, input_tokens: 1, output_tokens: 2, ...cost }),
      usageRecord({ user_id: ada.id, model: '=b', time, input_tokens: null, output_tokens: null }),
      usageRecord({ user_id: eve.id, model: 'a', time, cost: 1, currency: 'EUR' }),
      usageRecord({ user_id: eve.id, model: 'a', time: time - 86_400_000 }),
    ]
    await database.db.insertInto('usage_records').values(records).execute()
  })
  afterEach(() => database.close())

  async function run(...parameters: string[]) {
    const { dataDir, databaseUrl } = database.location
    const settings = { SECRET_KEY: testSecret, DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? '' }
    return runYonder(['usage', ...parameters], { settings })
  }
  const day = ['--from', '2026-11-24', '--to', '2026-11-24', '--time-zone', 'UTC']

  it('sums up each user and model as a table, CSV and JSON, and changes nothing', async () => {
    const before = await hashTables(database)
    expect((await run(...day)).stdout.split('\n')).toEqual([
      'USER             MODEL  CALLS  INPUT TOKENS  OUTPUT TOKENS  COST',
      'ada@example.com  =b         1             0              0  -',
      'ada@example.com  a          2         1,201             32  18014398.509481982 USD',
      'local|eve        a          1             1              1  0.000000001 EUR',
      'all                         4         1,202             33  0.000000001 EUR + 18014398.509481982 USD',
      'Calls without a known cost: 1',
      '',
    ])
    const { stdout: csv } = await run(...day, '--csv')
    expect(csv.split('\r\n').slice(1, 3)).toEqual([
      "ada@example.com,local|ada,'=b,1,,,,,1,,,1",
      'ada@example.com,local|ada,a,2,1201,,32,,0,18014398.509481982,USD,0',
    ])
    expect(csv).toMatch(/^E-mail,User,Model,Model calls,[^\n]+Calls without a known cost\r\n[^]*[^\n]\r\n$/)
    expect(JSON.parse((await run(...day, '--json')).stdout)).toMatchObject({
      from: '2026-11-24',
      users: [{}, { id: 'local|ada', email: 'ada@example.com', model: 'a', calls: 2 }, { id: 'local|eve' }],
      total: { calls: 4 },
    })
    expect(await hashTables(database)).toEqual(before)
  })

  it('counts the days of a time zone', async () => {
    const { stdout } = await run('--from', '2026-11-25', '--to', '2026-11-25', '--time-zone', 'Europe/Berlin')
    expect(stdout).toContain('all                         4')
    expect((await run('--from', '2026-11-25', '--to', '2026-11-25', '--time-zone', 'UTC')).stdout).toBe(
      'No model was called from 2026-11-25 to 2026-11-25.\n',
    )
  })

  it.each([
    [['--from', '2026-11-31'], 1, 'from: there is no day 2026-11-31'],
    [['--from', '2026-11-02', '--to', '2026-11-01'], 1, 'from: must not be later than to'],
    [['--time-zone', 'Mars/Base'], 1, 'time_zone: there is no time zone Mars/Base'],
    [['--csv', '--json'], 2, "option '--csv' cannot be used with option '--json'"],
  ])('refuses %j', async (parameters, expected, message) => {
    const { code, stdout, stderr } = await run(...parameters)
    expect(stdout + stderr).toContain(message)
    expect(code).toBe(expected)
  })
})
