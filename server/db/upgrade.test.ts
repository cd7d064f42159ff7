import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { fillSearchTexts } from '../chats/search/postgres-search-store.ts'
import { engines, isConcurrent, openTestDatabase } from '../testing/database/test-database.ts'
import type { RequestClient } from '../testing/send-request.ts'
import { describeSchema, hashColumns, listColumns } from '../testing/upgrade/describe-database.ts'
import {
  fixtureSecrets,
  listFixtures,
  readFixtureContent,
  type RecordedResponse,
} from '../testing/upgrade/fixtures.ts'
import { killMigration } from '../testing/upgrade/kill-migration.ts'
import { openSecrets, openUpgraded, openFixtureSealer } from '../testing/upgrade/open-upgraded.ts'
import { recordResponse } from '../testing/upgrade/record-responses.ts'
import { restoreFixture, type RestoredFixture } from '../testing/upgrade/restore-fixture.ts'
import type { Database } from './database.ts'
import { migrations, countAppliedMigrations } from './migrate.ts'

/** These tests restore databases and start processes, which takes long on a busy machine. */
const maxTestMs = 120_000
describe.each(engines)('an upgrade on %s', (engine) => {
  let newSchema: readonly string[]
  const opened: { close(): Promise<void> }[] = []

  beforeAll(async () => {
    const fresh = await openTestDatabase(engine)
    newSchema = await describeSchema(fresh)
    await fresh.close()
  })
  afterEach(async () => {
    for (const value of opened.splice(0).toReversed()) await value.close()
  })

  function closeLater<Opened extends { close(): Promise<void> }>(value: Opened): Opened {
    opened.push(value)
    return value
  }

  async function restore(version: number): Promise<RestoredFixture> {
    const fixture = await restoreFixture(version, engine)
    closeLater({ close: fixture.remove })
    return fixture
  }

  /** The content of the old version's tables. Called again with the same columns, it returns the same. */
  async function readTables(fixture: RestoredFixture) {
    const database = await fixture.open()
    const columns = await listColumns(database)
    const hashes = await hashColumns(database, columns)
    await database.close()
    return { columns, hashes }
  }

  /** Starts today's server with the fixture, and expects everything that the old version showed and stored. */
  async function expectContent(
    fixture: RestoredFixture,
    version: number,
    { columns, hashes }: Awaited<ReturnType<typeof readTables>>,
  ): Promise<void> {
    const database = closeLater(await fixture.upgrade())
    // The former files are moved. The responses have them.
    const { files: _before, ...kept } = hashes
    const { files: _after, ...today } = await hashColumns(database, columns)
    expect(today).toEqual(kept)
    await finishSearchIndex(database)
    expect(await describeSchema(database)).toEqual(newSchema)
    const sealer = openFixtureSealer(fixture.dataDir)
    expect(await openSecrets(database, sealer)).toMatchObject({
      botKeys: [fixtureSecrets.botKey],
      connectorTokens: [fixtureSecrets.connectorToken],
      integrationKeys: [fixtureSecrets.integrationKey],
      grants: [{ tokens: { refresh_token: expect.any(String) as unknown } }],
    })
    const product = closeLater(await openUpgraded(database, { dataDir: fixture.dataDir, sealer }))
    const { users, visitor } = readFixtureContent(version, engine)
    await expectResponses(product.visitor, visitor)
    for (const { email, responses } of users) await expectResponses(await product.signIn(email), responses)
  }

  it.each(listFixtures())(
    'from the version with %i migrations keeps all tables, secrets and responses of the API',
    async (version) => {
      const fixture = await restore(version)
      await expectContent(fixture, version, await readTables(fixture))
    },
    maxTestMs,
  )

  it.runIf(isConcurrent(engine))(
    'that is killed in each migration, right after the one before, continues at the next start',
    async () => {
      const [firstVersion = migrations.length] = listFixtures()
      const fixture = await restore(firstVersion)
      const tables = await readTables(fixture)
      for (let applied = firstVersion; applied < migrations.length; applied++) {
        // Every process but the first commits the migration in which the process before it was killed.
        const killAt = applied === firstVersion ? 1 : 2
        expect(await killMigration(fixture, killAt)).toEqual({ signal: 'SIGKILL', errors: '' })
        const database = await fixture.open()
        expect(await countAppliedMigrations(database)).toBe(applied)
        expect(await hashColumns(database, tables.columns)).toEqual(tables.hashes)
        await database.close()
      }
      await expectContent(fixture, firstVersion, tables)
    },
    maxTestMs,
  )
})

/** On PostgreSQL the server builds the index of the texts while it runs. */
async function finishSearchIndex({ db, dialect }: Database): Promise<void> {
  if (dialect.kind === 'sqlite') return
  while (await fillSearchTexts(db)) continue
}

/** Every field that the old version responded with has the same value today. Later versions may add fields. */
async function expectResponses(client: RequestClient, responses: readonly RecordedResponse[]): Promise<void> {
  for (const recorded of responses) {
    expect(await recordResponse(client, recorded.path)).toMatchObject(withoutWording(recorded))
  }
}

/**
 * Versions explain the failure of a connector in different words, and put a summary into a prompt in different forms: a
 * prompt is not stored, but built again.
 */
function withoutWording(recorded: RecordedResponse): RecordedResponse {
  const whole = JSON.stringify(recorded)
  const isOfSummary = recorded.path.endsWith('/prompt') && whole.includes('are replaced by a summary')
  const text = JSON.stringify(recorded, (name, value: unknown) =>
    name === 'error_message' || (isOfSummary && name === 'messages') ? undefined : value,
  )
  return JSON.parse(text) as RecordedResponse
}
