import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hashTables } from '../../testing/database/hash-tables.ts'
import {
  engines,
  isConcurrent,
  openTestDatabase,
  type TestDatabase,
} from '../../testing/database/test-database.ts'
import { botRow } from '../../testing/factories/bots.ts'
import { addUser } from '../../testing/factories/users.ts'
import { runYonder } from '../../testing/run-yonder.ts'
import { sealCredential } from './credential.ts'
import { openSealer } from './open-sealer.ts'
import { writeSecretKey } from './require-secret-key.ts'
import { botKeyContext } from './seal-contexts.ts'
import { createSealer } from './seal-secret.ts'

const own = 'the key of this installation, which is long'
const other = 'another key of this installation, also long'

describe.each(engines)('the key of a database on %s', (engine) => {
  let database: TestDatabase
  let dataDir: string
  beforeEach(async () => {
    database = await openTestDatabase(engine)
    dataDir = join(database.location.dataDir, 'a-node')
  })
  afterEach(() => database.close())

  const start = (secretKey: string | null) => openSealer(database.db, { secretKey, dataDir }, 1)

  async function storeBotKey(key: string, id: string): Promise<void> {
    await addUser(database.db, { id })
    const row = botRow({ id, name: id, user_id: id })
    const api_key = sealCredential(createSealer(key), botKeyContext(row), { secret: 'key', address: null })
    await database.db
      .insertInto('bots')
      .values({ ...row, api_key })
      .execute()
  }

  it('is that of the first start, also when nothing else is sealed, and another is refused', async () => {
    await start(own)
    const before = await hashTables(database)
    await expect(start(other)).rejects.toThrow(
      /^The key \(SECRET_KEY\) is not the one .*"yonder change-key"\.$/,
    )
    await expect(start(null)).rejects.toThrow(/^The key of this database is missing: .*\.$/)
    expect(await hashTables(database)).toEqual(before)
    expect(existsSync(dataDir)).toBe(false)
    await start(own)
  })

  it('may be weak when the data was restored with it, but no new database gets such a key', async () => {
    const restored = 'at-least-32-characters-the-same-on-every-node'
    writeSecretKey(dataDir, restored)
    const before = await hashTables(database)
    await expect(start(null)).rejects.toThrow(/is the text of an example/)
    expect(await hashTables(database)).toEqual(before)
    await start(restored)
    await expect(start(null)).resolves.toBeDefined()
  })

  it('is one of two with which nodes start at the same time', async () => {
    const starts = await Promise.allSettled([start(own), start(other)])
    expect(starts.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  it('is, in a database of an earlier version, one that opens what is stored', async () => {
    await storeBotKey(own, 'ada')
    await expect(start(other)).rejects.toThrow('is not the one')
    await start(own)
    // From now on, it is known whatever else is stored.
    await database.db.deleteFrom('bots').execute()
    await storeBotKey(other, 'eve')
    await expect(start(other)).rejects.toThrow('is not the one')
  })

  it.runIf(isConcurrent(engine))('is changed by a command', async () => {
    await start(own)
    await storeBotKey(own, 'ada')
    const run = (secretKey: string, ...options: string[]) =>
      runYonder(['change-key', ...options], {
        settings: {
          DATA_DIR: database.location.dataDir,
          DATABASE_URL: database.location.databaseUrl ?? '',
          SECRET_KEY: secretKey,
        },
      })
    expect(await run(own)).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing was changed.') })
    const before = await hashTables(database)
    expect((await run(other)).code).toBe(2)
    expect(await hashTables(database)).toEqual(before)
    expect((await run(other, '--yes')).code).toBe(0)
    await start(other)
    await expect(start(own)).rejects.toThrow('is not the one')
  })
})
