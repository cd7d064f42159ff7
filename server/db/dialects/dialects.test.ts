import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { engines, openTestDatabase, type TestDatabase } from '../../testing/database/test-database.ts'
import { addChat } from '../../testing/factories/chats.ts'
import { userRow } from '../../testing/factories/users.ts'
import type { Db } from '../database.ts'
import { migrate } from '../migrate.ts'
import { findStorageProblem } from '../storage-problem.ts'
import { postgresDialect } from './postgres.ts'
import { SqliteFile } from './sqlite-file.ts'
import { openSqlite, sqliteDialect } from './sqlite.ts'

const user = userRow({ id: 'u', subject: 's' })

/**
 * No other test file has runs with such high ids. The schemas of all tests are in one PostgreSQL database, whose
 * notifications reach the subscriptions of every test.
 */
let nextRunId = 1_000_000

/** Creates a chat with a run that `node` holds and returns the id of the run. */
async function insertRunningRun(db: Db, chatId: string, node: string): Promise<number> {
  await addChat(db, { id: chatId, user_id: user.id })
  const run = {
    id: nextRunId++,
    chat_id: chatId,
    user_id: user.id,
    message_id: 'm',
    node_id: node,
    status: 'running' as const,
    started_at: 1,
    lease_until: 1,
    ended_at: null,
    last_seq: 1,
    stop_requested: 0,
  }
  const { id } = await db.insertInto('runs').values(run).returning('id').executeTakeFirstOrThrow()
  return id
}

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
  ])('distinguishes %s', async (_, row, isUnique) => {
    const error: unknown = await database.db
      .insertInto('users')
      .values(row)
      .execute()
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect(database.dialect.isUniqueViolation(error)).toBe(isUnique)
    expect(findStorageProblem(error)).toBeNull()
  })

  it('does not report a missing parent as a unique violation', async () => {
    const error: unknown = await addChat(database.db, { user_id: 'nobody' }).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(Error)
    expect(database.dialect.isUniqueViolation(error)).toBe(false)
  })

  it('reads the clock in milliseconds', async () => {
    const { rows } = await sql<{ now: number }>`select ${database.dialect.clock} as now`.execute(database.db)
    expect(Math.abs((rows[0]?.now ?? 0) - Date.now())).toBeLessThan(5_000)
  })
})

describe.each(engines)('events of runs on %s', (engine) => {
  let database: TestDatabase
  let runIds: number[]

  beforeEach(async () => {
    database = await openTestDatabase(engine)
    const { db } = database
    await db.insertInto('users').values(user).execute()
    runIds = []
    for (const node of ['node', 'node', 'other']) {
      runIds.push(await insertRunningRun(db, `c${runIds.length}`, node))
    }
  })

  afterEach(() => database.close())

  const read = async () =>
    (await database.db.selectFrom('run_events').select(['run_id', 'seq']).orderBy('run_id').execute()).map(
      ({ run_id, seq }) => [run_id, seq],
    )

  it('are written for the runs that a node holds, and a repeated event once', async () => {
    const [first = 0, second = 0, foreign = 0] = runIds
    const events = [first, second, foreign].map((run_id) => ({ run_id, seq: 1, event: '{}' }))
    for (let round = 0; round < 2; round++) {
      const live = await database.dialect.appendRunEvents(database.db, 'node', events)
      expect(live).toEqual(new Set([first, second]))
    }
    expect(await read()).toEqual([
      [first, 1],
      [second, 1],
    ])
  })

  it('are written in one commit for two thousand runs, each of which is notified on PostgreSQL', async () => {
    const { db, dialect } = database
    for (let index = 0; index < 2_000; index++) {
      runIds.push(await insertRunningRun(db, `many${index}`, 'node'))
    }
    const owned = new Set(runIds.filter((_, index) => index !== 2))
    const all = new Set(runIds)
    const notified = new Set<number>()
    const subscription = database.subscribe({
      onRuns: (ids) => {
        // Runs of tests in other schemas of this PostgreSQL are notified on the same channel.
        for (const id of ids) if (all.has(id)) notified.add(id)
      },
      onChange: () => undefined,
      onGap: () => undefined,
    })
    const events = (seq: number) => runIds.map((run_id) => ({ run_id, seq, event: '{}' }))
    expect(await dialect.appendRunEvents(db, 'node', events(1))).toEqual(owned)
    if (engine !== 'sqlite') {
      // Those of the first commit may be lost while the subscription is being opened.
      let seq = 1
      await expect
        .poll(async () => {
          await dialect.appendRunEvents(db, 'node', events(++seq))
          return notified
        })
        .toEqual(owned)
    }
    await subscription.close()
  })

  it('are written all or not at all', async () => {
    const [first = 0, second = 0] = runIds
    const broken = { run_id: second, seq: 1, event: null as unknown as string }
    const events = [{ run_id: first, seq: 1, event: '{}' }, broken]
    await expect(database.dialect.appendRunEvents(database.db, 'node', events)).rejects.toThrow(/null/i)
    expect(await read()).toEqual([])
  })

  it('stay when another open transaction is rolled back, and are removed when their own is', async () => {
    const [first = 0, second = 0] = runIds
    const { db, dialect } = database
    const undone = new Error('undone')
    let written: Promise<unknown> | undefined
    const other = db.transaction().execute(async (trx) => {
      await trx.updateTable('users').set({ name: 'undone' }).execute()
      await dialect.appendRunEvents(trx, 'node', [{ run_id: first, seq: 1, event: '{}' }])
      written = dialect.appendRunEvents(db, 'node', [{ run_id: second, seq: 1, event: '{}' }])
      throw undone
    })
    await expect(other).rejects.toBe(undone)
    await written
    expect(await read()).toEqual([[second, 1]])
  })
})

it('writes the events of many simultaneous replies on fewer pages than there are replies', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'yonder-pages-'))
  const path = join(folder, 'pages.sqlite')
  const database = openSqlite(path)
  await migrate(database)
  const { db, dialect } = database
  await db.insertInto('users').values(user).execute()
  const runIds: number[] = []
  for (let index = 0; index < 100; index++) runIds.push(await insertRunningRun(db, `c${index}`, 'node'))
  const appendAll = (seq: number) =>
    dialect.appendRunEvents(
      db,
      'node',
      runIds.map((run_id) => ({ run_id, seq, event: 'x'.repeat(100) })),
    )
  // The events of each reply fill about four pages.
  for (let seq = 1; seq <= 150; seq++) await appendAll(seq)
  await sql`pragma wal_checkpoint(truncate)`.execute(db)
  await appendAll(151)
  const pages = Math.floor(statSync(`${path}-wal`).size / 4096)
  expect(pages).toBeGreaterThan(0)
  expect(pages).toBeLessThan(runIds.length * 0.75)
  await database.close()
  rmSync(folder, { recursive: true })
})

it('recognizes the error of a full disk on SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'yonder-full-'))
  const { db, close } = openSqlite(join(folder, 'full.sqlite'))
  await sql`create table t (x text)`.execute(db)
  await sql`pragma max_page_count = 3`.execute(db)
  const error: unknown = await sql`insert into t values (${'x'.repeat(100_000)})`
    .execute(db)
    .catch((thrown: unknown) => thrown)
  expect(findStorageProblem(error)).toBe('full')
  await close()
  rmSync(folder, { recursive: true })
})

it.each([
  ['53100', 'full'],
  ['58030', 'unwritable'],
  ['25006', 'read_only'],
  ['53300', 'busy'],
  ['57014', 'timeout'],
  ['55P03', 'timeout'],
  ['40001', 'conflict'],
  ['40P01', 'conflict'],
  ['57P01', 'unreachable'],
  ['57P02', 'unreachable'],
  ['57P03', 'unreachable'],
  ['08000', 'unreachable'],
  ['08006', 'unreachable'],
  ['08007', 'unknown'],
  ['28P01', 'refused'],
  ['3D000', 'missing'],
  ['42501', 'refused'],
  ['23505', null],
  ['42601', null],
  [undefined, null],
])('recognizes the PostgreSQL code %s: %s', (code, problem) => {
  expect(findStorageProblem(Object.assign(new Error('from the server'), { code }))).toBe(problem)
})

it.each([
  ['SQLITE_FULL', 'full'],
  ['SQLITE_IOERR_WRITE', 'unwritable'],
  ['SQLITE_READONLY', 'read_only'],
  ['SQLITE_READONLY_DBMOVED', 'moved'],
  ['SQLITE_CORRUPT', 'damaged'],
  ['SQLITE_CANTOPEN', 'unwritable'],
  ['SQLITE_BUSY', 'locked'],
  ['SQLITE_BUSY_RECOVERY', 'locked'],
  ['SQLITE_LOCKED', 'locked'],
  ['SQLITE_CONSTRAINT_UNIQUE', null],
  ['SQLITE_ERROR', null],
])('recognizes the SQLite code %s: %s', (code, problem) => {
  expect(findStorageProblem(Object.assign(new Error('from the library'), { code }))).toBe(problem)
})

it.each([null, undefined, 'text', 1, new Error('plain'), { code: 5 }])(
  'recognizes nothing in %s',
  (error) => {
    expect(findStorageProblem(error)).toBeNull()
    for (const dialect of [sqliteDialect(new SqliteFile(':memory:')), postgresDialect])
      expect(dialect.isUniqueViolation(error)).toBe(false)
  },
)
