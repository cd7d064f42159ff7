import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { engines, isConcurrent, postgresUrl } from '../testing/database/test-database.ts'
import { programParameters } from '../testing/program-path.ts'
import { runYonder } from '../testing/run-yonder.ts'
import { describeSchema, hashColumns, listColumns } from '../testing/upgrade/describe-database.ts'
import { listFixtures } from '../testing/upgrade/fixtures.ts'
import { restoreFixture, type RestoredFixture } from '../testing/upgrade/restore-fixture.ts'
import { lastFormerNumber, migrations } from './migrate.ts'

const latest = listFixtures().at(-1) ?? 0
/** A start of the server takes long on a busy machine. */
const maxTestMs = 120_000

const versions = [
  {
    version: 'a newer version',
    change: sql`insert into migrations (number, applied_at) values (${lastFormerNumber + migrations.length + 1}, 1)`,
    sentence: /^[^.]*The database is from a newer version.*(to an empty database|another data folder)\.$/m,
  },
  {
    version: 'a version before 0.1.0',
    change: sql`update migrations set number = number - ${lastFormerNumber}`,
    sentence:
      /The database is from a version before 0\.1\.0, which this version cannot read\. It was not changed\. Use an empty folder .*\.$/m,
  },
]
const cases = engines
  .filter(isConcurrent)
  .flatMap((engine) => versions.map((version) => ({ engine, ...version })))

describe.each(cases)('a database of $version on $engine', ({ engine, change, sentence }) => {
  let fixture: RestoredFixture
  /** Of this version, with SQLite. */
  let own: RestoredFixture
  let folder: string
  let backup: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'yonder-other-version-'))
    backup = join(folder, 'own.backup')
    own = await restoreFixture(latest, 'sqlite')
    await (await own.upgrade()).close()
    expect(await run(own, 'backup', backup, '--yes')).toMatchObject({ code: 0 })
  })
  afterAll(async () => {
    await own.remove()
    rmSync(folder, { recursive: true })
  })
  beforeEach(async () => {
    fixture = await restoreFixture(latest, engine)
    const { db, close } = await fixture.open()
    await change.execute(db)
    await sql`create table of_the_other_version (id integer primary key)`.execute(db)
    await close()
  })
  afterEach(() => fixture.remove())

  const settingsOf = ({ dataDir, databaseUrl }: RestoredFixture) => ({
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl ?? '',
    CONNECTOR_REGISTRY_URL: 'none',
    PORT: '0',
  })

  async function run(installation: RestoredFixture, ...parameters: string[]) {
    const { code, stdout, stderr } = await runYonder(parameters, { settings: settingsOf(installation) })
    return { code, output: stdout + stderr }
  }

  /** In a process of its own, because a start that fails ends the process. */
  async function start() {
    const child = spawn(process.execPath, [...programParameters('yonder.ts'), 'start'], {
      cwd: fixture.dataDir,
      env: settingsOf(fixture),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [[code], output] = await Promise.all([
      once(child, 'close') as Promise<[number]>,
      text(child.stderr),
    ])
    return { code, output }
  }

  /** The files of the data folder, and with PostgreSQL the database. A start locks the folder by a file of its own. */
  async function readAll(): Promise<unknown> {
    const names = readdirSync(fixture.dataDir, { recursive: true, encoding: 'utf8' }).filter(
      (name) => !name.startsWith('server.lock') && statSync(join(fixture.dataDir, name)).isFile(),
    )
    const files = names.map((name) => {
      const content = readFileSync(join(fixture.dataDir, name))
      return [name, createHash('sha256').update(content).digest('hex')]
    })
    if (fixture.databaseUrl === null) return { files }
    const database = await fixture.open()
    const tables = await hashColumns(database, await listColumns(database))
    const { rows } = await sql`select * from migrations order by number`.execute(database.db)
    const schema = await describeSchema(database)
    await database.close()
    return { files, tables, rows, schema }
  }

  it.each([
    ['a start', start],
    ['yonder doctor', () => run(fixture, 'doctor')],
    ['yonder users list', () => run(fixture, 'users', 'list')],
    ['yonder users delete', () => run(fixture, 'users', 'delete', 'ada@example.com', '--yes')],
    ['yonder backup', () => run(fixture, 'backup', join(folder, 'refused.backup'), '--yes')],
    ['yonder restore', () => run(fixture, 'restore', backup, '--yes')],
    [
      'yonder move-to-postgres',
      () =>
        fixture.databaseUrl === null
          ? run(fixture, 'move-to-postgres', postgresUrl)
          : run(own, 'move-to-postgres', fixture.databaseUrl),
    ],
  ])(
    'is refused by %s and left unchanged',
    async (_command, use) => {
      const before = await readAll()
      const { code, output } = await use()
      expect(output).toMatch(sentence)
      // A sentence, without the place in the code.
      expect(output).not.toMatch(/\n +at /)
      expect(code).toBe(1)
      expect(await readAll()).toEqual(before)
      expect(readdirSync(folder)).toEqual(['own.backup'])
    },
    maxTestMs,
  )
})
