import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompiledQuery, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { engines, openTestDatabase } from '../testing/test-database.ts'
import type { TestDatabase } from '../testing/test-database.ts'
import type { Db } from './database.ts'
import { postgresDialect, sqliteDialect } from './dialect.ts'
import { openSqlite } from './open-sqlite.ts'

const user = { id: 'u', issuer: 'i', subject: 's', name: null, email: null, picture: null, created_at: 1 }

describe.each(engines)('errors on %s', (engine) => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await openTestDatabase(engine)
    await database.db.insertInto('users').values(user).execute()
  })

  afterEach(() => database.close())

  it.each([
    ['a second primary key', { ...user, subject: 'other' }, true],
    ['a second unique pair', { ...user, id: 'other' }, true],
    ['a missing value', { ...user, id: 'other', issuer: null as unknown as string }, false],
  ])('tells %s apart', async (_, row, isUnique) => {
    const error: unknown = await database.db
      .insertInto('users')
      .values(row)
      .execute()
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect(database.dialect.isUniqueViolation(error)).toBe(isUnique)
    expect(database.dialect.isStorageFull(error)).toBe(false)
  })

  it('does not take a missing parent for a second of its kind', async () => {
    const error: unknown = await database.db
      .insertInto('chats')
      .values({ id: 'c', user_id: 'nobody', selected_message_id: null, created_at: 1, updated_at: 1 })
      .execute()
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect(database.dialect.isUniqueViolation(error)).toBe(false)
  })

  it('reads the clock in milliseconds', async () => {
    const { rows } = await sql<{ now: number }>`select ${database.dialect.clock} as now`.execute(database.db)
    expect(Math.abs((rows[0]?.now ?? 0) - Date.now())).toBeLessThan(5_000)
  })
})

it('looks the run of each event up on SQLite, however many runs are under way', async () => {
  const { db, close } = await openTestDatabase('sqlite')
  let plan: string[] = []
  const explained = {
    async executeQuery({ sql: text, parameters }: CompiledQuery) {
      const query = CompiledQuery.raw(`explain query plan ${text}`, [...parameters])
      plan = (await db.executeQuery<{ detail: string }>(query)).rows.map(({ detail }) => detail)
      return { rows: [] }
    },
  } as unknown as Db
  await sqliteDialect.appendRunEvents(explained, 'node', [{ run_id: 1, seq: 2, event: '{}' }])
  expect(plan).toEqual([expect.stringMatching(/^SCAN e /), 'SEARCH r USING INTEGER PRIMARY KEY (rowid=?)'])
  await close()
})

it('knows a full disk on SQLite by its error', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'yonder-full-'))
  const { db, close } = openSqlite(join(folder, 'full.sqlite'))
  await sql`create table t (x text)`.execute(db)
  await sql`pragma max_page_count = 3`.execute(db)
  const error: unknown = await sql`insert into t values (${'x'.repeat(100_000)})`
    .execute(db)
    .catch((thrown: unknown) => thrown)
  expect(sqliteDialect.isStorageFull(error)).toBe(true)
  await close()
  rmSync(folder, { recursive: true })
})

it.each([
  ['53100', true],
  ['58030', true],
  ['25006', true],
  ['23505', false],
  [undefined, false],
])('takes the PostgreSQL code %s for a full disk: %s', (code, isFull) => {
  expect(postgresDialect.isStorageFull(Object.assign(new Error('from the server'), { code }))).toBe(isFull)
})

it.each([null, undefined, 'text', 1, new Error('plain'), { code: 5 }])('makes nothing of %s', (error) => {
  for (const dialect of [sqliteDialect, postgresDialect]) {
    expect(dialect.isUniqueViolation(error)).toBe(false)
    expect(dialect.isStorageFull(error)).toBe(false)
  }
})
