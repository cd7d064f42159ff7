import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { moduleUrl } from '../../testing/program-path.ts'
import { runScript } from '../../testing/run-script.ts'
import type { Database } from '../database.ts'
import { SqliteFile } from './sqlite-file.ts'
import { openSqlite } from './sqlite.ts'

let folder: string
let path: string
let opened: Database[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'yonder-sqlite-'))
  path = join(folder, 'test.sqlite')
  opened = []
})

afterEach(async () => {
  for (const database of opened) await database.close()
  rmSync(folder, { recursive: true, force: true })
})

function open(): Database {
  const database = openSqlite(path)
  opened.push(database)
  return database
}

async function pragma(database: Database, name: string): Promise<unknown> {
  const { rows } = await sql<Record<string, unknown>>`select * from ${sql.raw(`pragma_${name}`)}`.execute(
    database.db,
  )
  return Object.values(rows[0] ?? {})[0]
}

it('uses a write-ahead log, syncs at each commit, and enforces foreign keys', async () => {
  const database = open()
  expect(await pragma(database, 'journal_mode')).toBe('wal')
  expect(await pragma(database, 'synchronous')).toBe(2)
  expect(await pragma(database, 'foreign_keys')).toBe(1)
})

it('refuses a file that is not a database and leaves it unchanged', () => {
  const text = 'These are ordinary notes, and no database at all. '.repeat(50)
  writeFileSync(path, text)
  expect(() => openSqlite(path)).toThrow()
  expect(readFileSync(path, 'utf8')).toBe(text)
})

it('acquires the write lock when a transaction begins, so that reading first and writing later works', async () => {
  const { db } = open()
  await sql`create table t (x integer)`.execute(db)
  const other = new SqliteFile(path, { timeout: 0 })
  await db.transaction().execute(async (trx) => {
    await sql`select * from t`.execute(trx)
    expect(() => other.exec('begin immediate')).toThrow(/locked/)
    await sql`insert into t values (1)`.execute(trx)
  })
  other.exec('begin immediate; insert into t values (2); commit')
  other.close()
})

it('waits while another process writes', async () => {
  const { db } = open()
  await sql`create table t (x integer)`.execute(db)
  const held = join(folder, 'held')
  const holder = runScript(`
    import { writeFileSync } from 'node:fs'
    import { SqliteFile } from '${moduleUrl('db/dialects/sqlite-file.ts')}'
    const file = new SqliteFile(${JSON.stringify(path)})
    file.exec('begin immediate; insert into t values (1)')
    writeFileSync(${JSON.stringify(held)}, '')
    setTimeout(() => file.exec('commit'), 300)`)
  await expect.poll(() => readFileSync(held, 'utf8'), { interval: 10 }).toBe('')
  const count = await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ x: number }>`select x from t`.execute(trx)
    await sql`insert into t values (2)`.execute(trx)
    return rows.length
  })
  expect(count).toBe(1)
  expect(await holder).toMatchObject({ status: 0 })
})

it('runs more different statements than it caches, and the first one again', async () => {
  const { db } = open()
  for (let number = 0; number < 1_200; number++) {
    const { rows } = await sql<{ x: number }>`select ${sql.raw(String(number % 1_100))} as x`.execute(db)
    expect(rows[0]?.x).toBe(number % 1_100)
  }
})

it('survives the garbage collection of statements', async () => {
  const { status, output } = await runScript(`
    import { setTimeout as wait } from 'node:timers/promises'
    import { SqliteFile } from '${moduleUrl('db/dialects/sqlite-file.ts')}'
    const file = new SqliteFile(':memory:')
    for (let turn = 0; turn < 60; turn++) {
      for (let number = 0; number < 2_000; number++) file.prepare('select ' + (turn * 2_000 + number)).get()
      await wait(20)
    }
    file.close()`)
  expect({ status, output }).toEqual({ status: 0, output: '' })
})

it('keeps a prepared statement valid when its table changes', async () => {
  const { db } = open()
  await sql`create table t (x integer)`.execute(db)
  await sql`insert into t values (1)`.execute(db)
  const read = () => sql<object>`select * from t`.execute(db)
  expect((await read()).rows).toEqual([{ x: 1 }])
  await sql`alter table t add column y integer default 2`.execute(db)
  expect((await read()).rows).toEqual([{ x: 1, y: 2 }])
})
