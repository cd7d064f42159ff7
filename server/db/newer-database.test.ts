import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { engines, isConcurrent } from '../testing/database/test-database.ts'
import { programParameters } from '../testing/program-path.ts'
import { describeSchema, hashColumns, listColumns } from '../testing/upgrade/describe-database.ts'
import { listFixtures } from '../testing/upgrade/fixtures.ts'
import { restoreFixture, type RestoredFixture } from '../testing/upgrade/restore-fixture.ts'
import { lastFormerNumber, migrations } from './migrate.ts'

const newer = lastFormerNumber + migrations.length + 1
/** A start of the server takes long on a busy machine. */
const maxTestMs = 120_000

describe.each(engines.filter(isConcurrent))('a database of a newer version on %s', (engine) => {
  let fixture: RestoredFixture

  beforeEach(async () => {
    fixture = await restoreFixture(listFixtures().at(-1) ?? 0, engine)
    const { db, close } = await fixture.open()
    await sql`insert into migrations (number, applied_at) values (${newer}, 1)`.execute(db)
    await sql`create table of_the_newer_version (id integer primary key)`.execute(db)
    await close()
  })
  afterEach(() => fixture.remove())

  /** The files of the data folder, and with PostgreSQL the database. A start locks the folder by a file of its own. */
  async function readAll(): Promise<unknown> {
    const names = readdirSync(fixture.dataDir).filter((name) => !name.startsWith('server.lock'))
    const files = names.map((name) => {
      const content = readFileSync(join(fixture.dataDir, name))
      return [name, createHash('sha256').update(content).digest('hex')]
    })
    if (fixture.databaseUrl === null) return { files }
    const database = await fixture.open()
    const tables = await hashColumns(database, await listColumns(database))
    const schema = await describeSchema(database)
    await database.close()
    return { files, tables, schema }
  }

  it.each(['start', 'users delete ada@example.com --yes'])(
    'is refused by yonder %s and left unchanged',
    async (command) => {
      const before = await readAll()
      const child = spawn(process.execPath, [...programParameters('yonder.ts'), ...command.split(' ')], {
        cwd: fixture.dataDir,
        env: { DATA_DIR: fixture.dataDir, DATABASE_URL: fixture.databaseUrl ?? '', PORT: '0' },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      const [[status], errors] = await Promise.all([
        once(child, 'close') as Promise<[number]>,
        text(child.stderr),
      ])
      expect(errors).toMatch(
        /The database is from a newer version.*, or restore a backup from this or an older version to an empty database\./,
      )
      // A sentence, without the place in the code.
      expect(errors).not.toMatch(/\n +at /)
      expect(status).toBe(1)
      expect(await readAll()).toEqual(before)
    },
    maxTestMs,
  )
})
