import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { KyselyPlugin } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { insertRun, listEvents, listExpiredRuns } from '../completions/log/run-store.ts'
import { runScript } from '../testing/run-script.ts'
import { engines, isConcurrent, openTestDatabase } from '../testing/database/test-database.ts'
import type { TestDatabase } from '../testing/database/test-database.ts'
import type { Database } from './database.ts'
import { migrate, migrations } from './migrate.ts'
import { openSqlite } from './dialects/sqlite.ts'

/** The same database, with `act` called before each statement; a throw in it ends the statement. */
function watch(database: Database, act: (statement: number) => void): Database {
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

/** The names of tables, columns and indexes, on SQLite also where rows are stored: they show how far the schema has come. */
async function listSchema({ db, dialect }: Database): Promise<readonly string[]> {
  const { rows } =
    dialect.kind === 'sqlite'
      ? await sql<{
          name: string
        }>`select name || iif(sql like '%without rowid', ' by key', '') as name from sqlite_master
          where name not like 'sqlite_%'
          union all select m.name || '.' || c.name from sqlite_master m, pragma_table_info(m.name) c
          where m.type = 'table' and m.name not like 'sqlite_%' order by name`.execute(db)
      : await sql<{ name: string }>`select relname as name from pg_class
          where relnamespace = current_schema()::regnamespace
          union all select table_name || '.' || column_name from information_schema.columns
          where table_schema = current_schema() order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** Takes a migrated test database back to an empty one. */
async function empty({ db, dialect }: Database): Promise<void> {
  if (dialect.kind === 'postgres') {
    const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db)
    const schema = rows[0]?.name ?? ''
    await sql`drop schema ${sql.id(schema)} cascade`.execute(db)
    await sql`create schema ${sql.id(schema)}`.execute(db)
    return
  }
  await sql`pragma foreign_keys = off`.execute(db)
  // Virtual tables take the tables behind them away; one that reads another goes before it.
  for (const kind of ['create virtual table%fts5vocab%', 'create virtual table%', 'create table%']) {
    const { rows } = await sql<{ name: string }>`select name from sqlite_master
      where type = 'table' and name not like 'sqlite_%' and sql like ${kind}`.execute(db)
    for (const { name } of rows) await sql`drop table ${sql.id(name)}`.execute(db)
  }
  await sql`pragma foreign_keys = on`.execute(db)
}

/** A database as an older version left it. */
async function migrateTo(database: Database, last: number): Promise<void> {
  const { db, dialect } = database
  for (const migration of migrations.slice(0, last)) await migration(db, dialect)
  await sql`create table migrations (number integer primary key, applied_at bigint not null)`.execute(db)
  for (let number = 1; number <= last; number++) {
    await sql`insert into migrations (number, applied_at) values (${number}, 1)`.execute(db)
  }
}

describe.each(engines)('migrations on %s', (engine) => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await openTestDatabase(engine)
  })

  afterEach(() => database.close())

  it('bring an empty database to this version, and change nothing after that', async () => {
    const schema = await listSchema(database)
    expect(await countApplied(database)).toBe(migrations.length)
    expect(schema).toEqual(expect.arrayContaining(['accounts', 'bots', 'chats', 'messages', 'runs', 'users']))
    await migrate(database)
    expect(await countApplied(database)).toBe(migrations.length)
    expect(await listSchema(database)).toEqual(schema)
  })

  it('that fail at any statement leave the state before or after one of them, and go on from there (§22.10)', async () => {
    const wanted = await listSchema(database)
    await empty(database)
    const stateAfter = new Map<number, readonly string[]>()
    let done = false
    let before = 0
    for (let failAt = 1; !done; failAt++) {
      try {
        await migrate(
          watch(database, (statement) => {
            if (statement === failAt) throw new Error('power failure')
          }),
        )
        done = true
      } catch (error) {
        expect(error).toHaveProperty('message', 'power failure')
      }
      const schema = await listSchema(database)
      // The table of marks itself comes with the first migration.
      const applied = schema.includes('migrations') ? await countApplied(database) : 0
      expect(schema).toEqual(stateAfter.get(applied) ?? schema)
      stateAfter.set(applied, schema)
      // The next one from its first statement on.
      if (applied > before) failAt = 0
      before = applied
    }
    expect(stateAfter.get(migrations.length)).toEqual(wanted)
    expect(stateAfter.get(0)).toEqual([])
    // The ninth moves rows, which PostgreSQL lays as it likes.
    const different = engine === 'sqlite' ? stateAfter.size : stateAfter.size - 1
    expect(new Set([...stateAfter.values()].map((schema) => schema.join())).size).toBe(different)
    // Each was stopped in its middle.
    expect([...stateAfter.keys()]).toEqual(
      Array.from({ length: migrations.length + 1 }, (_, applied) => applied),
    )
  })

  it.each([7, 8])(
    'keep the logs of runs from version %i, which go on and end with their runs',
    async (version) => {
      const { db, dialect } = database
      await empty(database)
      await migrateTo(database, version)
      const user = { id: 'u', issuer: 'https://id.example', subject: 's', created_at: 1 }
      await db.insertInto('users').values(user).execute()
      const chat = { id: 'c', user_id: 'u', selected_message_id: null, created_at: 1, updated_at: 1 }
      await db.insertInto('chats').values(chat).execute()
      const run = { chat_id: 'c', user_id: 'u', message_id: 'm', node_id: 'n', started_at: 1 }
      const runId = await insertRun(db, dialect, run, 'first')
      await dialect.appendRunEvents(db, 'n', [{ run_id: runId, seq: 2, event: 'second' }])
      await migrate(database)
      await dialect.appendRunEvents(db, 'n', [
        { run_id: runId, seq: 2, event: 'second again' },
        { run_id: runId, seq: 3, event: 'third' },
      ])
      expect((await listEvents(db, runId, 0)).map(({ event }) => event)).toEqual(['first', 'second', 'third'])
      expect(await listExpiredRuns(db, dialect)).toEqual([])
      await db.deleteFrom('runs').execute()
      expect(await listEvents(db, runId, 0)).toEqual([])
    },
  )

  it('refuse a database that a newer version wrote, with every row as it was (§22.10)', async () => {
    await sql`insert into migrations (number, applied_at) values (${migrations.length + 7}, 1)`.execute(
      database.db,
    )
    const schema = await listSchema(database)
    await expect(migrate(database)).rejects.toThrow(
      /from a newer version .* Start that version, or restore a backup/,
    )
    expect(await listSchema(database)).toEqual(schema)
    expect(await countApplied(database)).toBe(migrations.length + 1)
  })

  it.runIf(isConcurrent(engine))('let processes that start at once wait for each other', async () => {
    const { dataDir, databaseUrl } = database.location
    const wanted = await listSchema(database)
    await empty(database)
    const code = `
      import { openDatabase } from ${JSON.stringify(new URL('./open-database.ts', import.meta.url).href)}
      const { close } = await openDatabase(${JSON.stringify({ databaseUrl, dataDir })})
      await close()`
    const starts = await Promise.all([1, 2, 3].map(() => runScript(code)))
    expect(starts).toEqual([1, 2, 3].map(() => ({ status: 0, output: '' })))
    expect(await listSchema(database)).toEqual(wanted)
    expect(await countApplied(database)).toBe(migrations.length)
  })
})

it('leave, wherever the process is killed, a SQLite file that the next start finishes (§22.10)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'yonder-kill-'))
  const live = join(folder, 'live')
  const database = openSqlite(live)
  const copies: string[] = []
  await migrate(
    // What a killed process leaves is what its files hold at that moment.
    watch(database, (statement) => {
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
