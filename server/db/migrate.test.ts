import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql, type KyselyPlugin } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  engines,
  isConcurrent,
  openTestDatabase,
  type TestDatabase,
} from '../testing/database/test-database.ts'
import { moduleUrl } from '../testing/program-path.ts'
import { runScript } from '../testing/run-script.ts'
import type { Database } from './database.ts'
import { openSqlite } from './dialects/sqlite.ts'
import { migrate, migrations, runNextMigration } from './migrate.ts'

/** The same database with `act` called before each statement. If it throws, the statement fails. */
function beforeEachStatement(database: Database, act: (statement: number) => void): Database {
  let statement = 0
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      act(++statement)
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  }
  return { ...database, db: database.db.withPlugin(plugin) }
}

async function countApplied({ db }: Database): Promise<number> {
  const { rows } = await sql<{
    applied: number | string
  }>`select count(*) as applied from migrations`.execute(db)
  return Number(rows[0]?.applied)
}

/** The names of tables, columns and indexes. */
async function listSchema({ db, dialect }: Database): Promise<readonly string[]> {
  const { rows } =
    dialect.kind === 'sqlite'
      ? await sql<{
          name: string
        }>`select name from sqlite_master
          where name not like 'sqlite_%'
          union all select m.name || '.' || c.name from sqlite_master m, pragma_table_info(m.name) c
          where m.type = 'table' and m.name not like 'sqlite_%' order by name`.execute(db)
      : await sql<{ name: string }>`select relname as name from pg_class
          where relnamespace = current_schema()::regnamespace
          union all select table_name || '.' || column_name from information_schema.columns
          where table_schema = current_schema() order by name`.execute(db)
  return rows.map(({ name }) => name)
}

interface Column {
  readonly table: string
  readonly type: string
  /** Whether a row can be inserted without it. */
  readonly isOptional: boolean
}

/** The columns of all tables except those that SQLite's search index makes, by `table.column`. */
async function listColumns({ db, dialect }: Database): Promise<ReadonlyMap<string, Column>> {
  const { rows } =
    dialect.kind === 'sqlite'
      ? await sql<{ table: string; name: string; type: string; optional: number }>`
          select m.name as "table", c.name, c.type, c."notnull" = 0 or c.dflt_value is not null or c.pk as optional
          from sqlite_master m, pragma_table_info(m.name) c
          where m.type = 'table' and m.name not like 'sqlite_%' and m.name not like 'search%'`.execute(db)
      : await sql<{ table: string; name: string; type: string; optional: boolean }>`
          select table_name as table, column_name as name, data_type as type,
            is_nullable = 'YES' or column_default is not null as optional
          from information_schema.columns where table_schema = current_schema()`.execute(db)
  return new Map(
    rows.map(({ table, name, type, optional }) => [
      `${table}.${name}`,
      { table, type, isOptional: Boolean(optional) },
    ]),
  )
}

/** Empties a migrated test database. */
async function empty({ db, dialect }: Database): Promise<void> {
  if (dialect.kind === 'postgres') {
    const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db)
    const schema = rows[0]?.name ?? ''
    await sql`drop schema ${sql.id(schema)} cascade`.execute(db)
    await sql`create schema ${sql.id(schema)}`.execute(db)
    return
  }
  await sql`pragma foreign_keys = off`.execute(db)
  // Dropping a virtual table drops the tables behind it. A virtual table that reads another one must be dropped first.
  for (const kind of ['create virtual table%fts5vocab%', 'create virtual table%', 'create table%']) {
    const { rows } = await sql<{ name: string }>`select name from sqlite_master
      where type = 'table' and name not like 'sqlite_%' and sql like ${kind}`.execute(db)
    for (const { name } of rows) await sql`drop table ${sql.id(name)}`.execute(db)
  }
  await sql`pragma foreign_keys = on`.execute(db)
}

describe.each(engines)('migrations on %s', (engine) => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await openTestDatabase(engine)
  })

  afterEach(() => database.close())

  it('bring an empty database to this version and change nothing the second time', async () => {
    const schema = await listSchema(database)
    expect(await countApplied(database)).toBe(migrations.length)
    expect(schema).toEqual(expect.arrayContaining(['accounts', 'bots', 'chats', 'messages', 'runs', 'users']))
    await migrate(database)
    expect(await countApplied(database)).toBe(migrations.length)
    expect(await listSchema(database)).toEqual(schema)
  })

  it('that fail at any statement leave the state before or after one of them and continue from there', async () => {
    const wanted = await listSchema(database)
    await empty(database)
    const stateAfter = new Map<number, readonly string[]>()
    let done = false
    let before = 0
    for (let failAt = 1; !done; failAt++) {
      try {
        await migrate(
          beforeEachStatement(database, (statement) => {
            if (statement === failAt) throw new Error('power failure')
          }),
        )
        done = true
      } catch (error) {
        expect(error).toHaveProperty('message', 'power failure')
      }
      const schema = await listSchema(database)
      // The first migration creates the table `migrations` too.
      const applied = schema.includes('migrations') ? await countApplied(database) : 0
      expect(schema).toEqual(stateAfter.get(applied) ?? schema)
      stateAfter.set(applied, schema)
      // The next migration is interrupted from its first statement on.
      if (applied > before) failAt = 0
      before = applied
    }
    expect(stateAfter.get(migrations.length)).toEqual(wanted)
    expect(stateAfter.get(0)).toEqual([])
    // Each migration was interrupted.
    expect([...stateAfter.keys()]).toEqual(
      Array.from({ length: migrations.length + 1 }, (_, applied) => applied),
    )
  })

  it('leave what the version before uses, whose nodes work on beside those of this one', async () => {
    await empty(database)
    const { db, dialect } = database
    const next = (last: number) => db.transaction().execute((trx) => runNextMigration(trx, dialect, last))
    // There was no version before the first migration.
    await next(1)
    let before = await listColumns(database)
    for (let last = 2; last <= migrations.length; last++) {
      await next(last)
      const after = await listColumns(database)
      const tables = new Set([...before.values()].map(({ table }) => table))
      for (const [name, column] of before) expect(after.get(name), name).toEqual(column)
      for (const [name, { table, isOptional }] of after)
        if (tables.has(table) && !before.has(name)) expect(isOptional, `${name} is optional`).toBe(true)
      before = after
    }
  })

  it.runIf(isConcurrent(engine))('make processes that start at once wait for each other', async () => {
    const { dataDir, databaseUrl } = database.location
    const wanted = await listSchema(database)
    await empty(database)
    const code = `
      import { openDatabase } from ${JSON.stringify(moduleUrl('db/open-database.ts'))}
      const { close } = await openDatabase(${JSON.stringify({ databaseUrl, dataDir })})
      await close()`
    const starts = await Promise.all([1, 2, 3].map(() => runScript(code)))
    expect(starts).toEqual([1, 2, 3].map(() => ({ status: 0, output: '' })))
    expect(await listSchema(database)).toEqual(wanted)
    expect(await countApplied(database)).toBe(migrations.length)
  })
})

it('that are killed at any statement leave a SQLite file that the next start completes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'yonder-kill-'))
  const live = join(folder, 'live')
  const database = openSqlite(live)
  const copies: string[] = []
  await migrate(
    // A killed process leaves the content that its files have at that moment.
    beforeEachStatement(database, (statement) => {
      const copy = join(folder, `copy-${statement}`)
      cpSync(live, copy)
      cpSync(`${live}-wal`, `${copy}-wal`)
      copies.push(copy)
    }),
  )
  const wanted = await listSchema(database)
  await database.close()
  const seen = new Set<number>()
  for (const copy of copies) {
    const restarted = openSqlite(copy)
    const schema = await listSchema(restarted)
    seen.add(schema.includes('migrations') ? await countApplied(restarted) : 0)
    await migrate(restarted)
    expect(await listSchema(restarted)).toEqual(wanted)
    expect(await countApplied(restarted)).toBe(migrations.length)
    const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(restarted.db)
    expect(rows).toEqual([{ integrity_check: 'ok' }])
    await restarted.close()
  }
  expect([...seen]).toEqual(Array.from({ length: migrations.length + 1 }, (_, applied) => applied))
  rmSync(folder, { recursive: true })
})
