import { statSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type BetterSqlite from 'better-sqlite3'
import {
  CompiledQuery,
  Kysely,
  sql,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
  type QueryResult,
  type SqliteDialectConfig,
} from 'kysely'
import { errorCode } from '../../lib/describe-error.ts'
import type { Database, Dialect } from '../database.ts'
import { isDiskFull } from '../disk-space.ts'
import { FolderBytes } from '../files/folder-bytes.ts'
import { findStorageProblem } from '../storage-problem.ts'
import type { RunEventRow, Tables } from '../tables/tables.ts'
import { searchableSql } from './searchable-sql.ts'
import { SqliteFile } from './sqlite-file.ts'

/** The first release without the bug that corrupts a database when its WAL is reset. */
const minSafeVersion = [3, 51, 3] as const

/** Prepared statements kept for reuse, since preparing one costs more than running it. */
const maxCachedStatements = 500

/** Milliseconds for which a statement waits while another process has locked the file. */
const defaultMaxWaitMs = 5_000
/** Milliseconds between two attempts: at first, and at most. */
const minDelayMs = 5
const maxDelayMs = 50

/**
 * Repeats `attempt` until the file is not locked, for at most `maxWaitMs`. SQLite's own busy timeout would do the same,
 * but it blocks the thread, and every request and stream with it. `pause` must let others use the connection.
 */
async function retryWhileLocked<Result>(
  maxWaitMs: number,
  attempt: () => Result | Promise<Result>,
  pause: (delayMs: number) => Promise<void> = wait,
): Promise<Result> {
  const deadline = performance.now() + maxWaitMs
  for (let delayMs = minDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
    try {
      return await attempt()
    } catch (error) {
      if (!isLocked(error) || performance.now() > deadline) throw error
    }
    await pause(delayMs)
  }
}

const isLocked = (error: unknown): boolean => findStorageProblem(error) === 'locked'

/** Transactions that take longer may have written thousands of pages. */
const longTransactionMs = 100
/** Pages of the log with which a commit copies them into the file, as is the default. */
const maxLogPages = 1_000

interface WaitingConfig extends SqliteDialectConfig {
  readonly file: BetterSqlite.Database
  readonly maxWaitMs: number
}

/**
 * Acquires the write lock when a transaction begins. A transaction that reads first and writes later could otherwise
 * fail with SQLITE_BUSY, whatever the timeout is. While another process holds the lock, the connection is free for
 * reads, so this driver hands it out itself (`WaitingAdapter`): Kysely would keep it until the statement has ended.
 */
class WaitingDriver extends SqliteDriver {
  readonly #config: WaitingConfig
  #connection: DatabaseConnection | undefined
  #isInUse = false
  #beganAt = 0
  readonly #waiting: (() => void)[] = []

  constructor(config: WaitingConfig) {
    super(config)
    this.#config = config
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#isInUse) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#isInUse = true
    return (this.#connection ??= this.#withWaiting(await super.acquireConnection()))
  }

  override async releaseConnection(): Promise<void> {
    const next = this.#waiting.shift()
    if (next === undefined) this.#isInUse = false
    else next()
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
    this.#beganAt = performance.now()
  }

  /**
   * What a long transaction has written is copied from the log into the file by the next commit. Both at once would
   * hold the event loop for twice as long.
   */
  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const { file } = this.#config
    const isLong = performance.now() - this.#beganAt > longTransactionMs
    if (isLong) file.pragma('wal_autocheckpoint = 0')
    try {
      await super.commitTransaction(connection)
    } finally {
      if (isLong) file.pragma(`wal_autocheckpoint = ${maxLogPages}`)
    }
  }

  /** After some errors, such as a full disk, SQLite has already rolled the transaction back. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#config.file.inTransaction) await super.rollbackTransaction(connection)
  }

  #withWaiting(connection: DatabaseConnection): DatabaseConnection {
    const { file, maxWaitMs } = this.#config
    return {
      executeQuery: <Row>(query: CompiledQuery): Promise<QueryResult<Row>> =>
        connection.executeQuery<Row>(query).catch((error: unknown) => {
          if (!isLocked(error) || file.inTransaction) throw error
          return retryWhileLocked(maxWaitMs, () => connection.executeQuery<Row>(query), this.#pause)
        }),
      streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
    }
  }

  readonly #pause = async (delayMs: number): Promise<void> => {
    await this.releaseConnection()
    await wait(delayMs)
    await this.acquireConnection()
  }
}

class WaitingAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class WaitingSqliteDialect extends SqliteDialect {
  readonly #config: WaitingConfig

  constructor(config: WaitingConfig) {
    super(config)
    this.#config = config
  }

  override createAdapter(): SqliteAdapter {
    return new WaitingAdapter()
  }

  override createDriver(): SqliteDriver {
    return new WaitingDriver(this.#config)
  }
}

export interface SqliteOptions {
  /** Milliseconds for which a statement waits while another process has locked the file. */
  readonly maxWaitMs?: number
}

/** Opens or creates the file. Throws when the SQLite library could corrupt it or the file is not a database. */
export function openSqlite(path: string, { maxWaitMs = defaultMaxWaitMs }: SqliteOptions = {}): Database {
  const file = new SqliteFile(path, { timeout: defaultMaxWaitMs })
  requireSafeVersion(file)
  file.pragma('journal_mode = WAL')
  file.pragma('synchronous = FULL')
  file.pragma('foreign_keys = ON')
  // A negative number is in KiB.
  file.pragma('cache_size = -32000')
  // From here on, `retryWhileLocked` waits.
  file.pragma('busy_timeout = 0')
  const opened = statSync(path, { throwIfNoEntry: false })
  const db = new Kysely<Tables>({
    dialect: new WaitingSqliteDialect({ database: withStatementCache(file), file, maxWaitMs }),
  })
  return {
    db,
    dialect: sqliteDialect(file, maxWaitMs),
    file: path,
    bytes: new FolderBytes(filesFolderOf(path)),
    // Another process may also write for a moment.
    check: (maxMs) =>
      retryWhileLocked(maxMs / 2, () => db.connection().execute(async () => checkFile(file, path, opened))),
    subscribe: () => ({ close: () => Promise.resolve() }),
    close: () => db.destroy(),
  }
}

/** The folder beside the SQLite file that has the bytes of files. */
export function filesFolderOf(path: string): string {
  return join(dirname(path), 'files')
}

/** Throws when a write is not stored, or when the next ones will not be. */
function checkFile(file: BetterSqlite.Database, path: string, opened: Stats | undefined): void {
  file.exec('update installation set issuer = issuer')
  const stored = statSync(path, { throwIfNoEntry: false })
  // The system keeps a deleted file for as long as it is open.
  if (opened !== undefined && (stored?.ino !== opened.ino || stored.dev !== opened.dev))
    throw new SqliteFile.SqliteError('The database file was deleted or replaced.', 'SQLITE_READONLY_DBMOVED')
  if (isDiskFull(path))
    throw new SqliteFile.SqliteError('The disk has less than a megabyte left.', 'SQLITE_FULL')
}

function requireSafeVersion(file: BetterSqlite.Database): void {
  const version =
    file.prepare<[], { version: string }>('select sqlite_version() as version').get()?.version ?? ''
  const parts = version.split('.').map(Number)
  for (const [index, minPart] of minSafeVersion.entries()) {
    const part = parts[index] ?? 0
    if (part > minPart) return
    if (part < minPart) {
      throw new Error(`SQLite ${version} can corrupt its file. Install ${minSafeVersion.join('.')} or newer.`)
    }
  }
}

/**
 * The same connection with a cache of prepared statements. A cache library would not do: a statement that is still busy
 * must be prepared a second time, and bookkeeping for each use would slow down every token.
 */
function withStatementCache(file: BetterSqlite.Database): Pick<BetterSqlite.Database, 'close' | 'prepare'> {
  const statements = new Map<string, BetterSqlite.Statement>()
  const prepare = (sql: string): BetterSqlite.Statement => {
    const known = statements.get(sql)
    if (known !== undefined && !known.busy) return known
    const statement = file.prepare(sql)
    if (statements.size >= maxCachedStatements) {
      const [oldest] = statements.keys()
      if (oldest !== undefined) statements.delete(oldest)
    }
    statements.set(sql, statement)
    return statement
  }
  return {
    close: () => file.close(),
    prepare: prepare as BetterSqlite.Database['prepare'],
  }
}

/*
 * The index stores only which grams a message has; `chats/search/` describes them and the row ids. Triggers queue every
 * finished message except results of tools, whichever process wrote it.
 */
const sqliteSearchIndex = [
  `create virtual table message_search using fts5(grams, content='', columnsize=0, detail=none, prefix='2 3',
    tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'")`,
  `create table search_users (number integer primary key autoincrement, user_id text not null unique)`,
  `create table search_queue (position integer primary key, chunk integer not null default 0)`,
  `create trigger queue_new_message after insert on messages when ${searchableSql('new')} begin
    insert or ignore into search_queue (position) values (new.position); end`,
  `create trigger queue_ended_reply after update of status on messages
    when old.status = 'streaming' and ${searchableSql('new')} begin
    insert or ignore into search_queue (position) values (new.position); end`,
]

/** The index has no texts, so that what an old message has in it could not be removed. */
const foldedAgain = [
  "insert into message_search (message_search) values ('delete-all')",
  `insert or replace into search_queue (position) select position from messages where ${searchableSql('messages')}`,
]

// Runs once per row, in one transaction. A single statement for all rows would take three times as long. A repeated
// event updates itself, so that it counts as a change and its run as live.
const insertRunEvent = `
  insert into run_events (run_id, seq, event)
  select id, ?, ? from runs where id = ? and node_id = ? and status = 'running'
  on conflict (run_id, seq) do update set event = run_events.event`

/** Bypasses Kysely, which would build and await each row, because this code runs for every token. */
function appendToSqlite(file: BetterSqlite.Database, maxWaitMs: number): Dialect['appendRunEvents'] {
  let insert: BetterSqlite.Statement<[number, string, number, string]> | undefined
  const append = (nodeId: string, events: readonly RunEventRow[]): ReadonlySet<number> => {
    // Prepared at the first use, because the first migration creates the table.
    insert ??= file.prepare(insertRunEvent)
    const live = new Set<number>()
    for (const { run_id, seq, event } of events) {
      if (insert.run(seq, event, run_id, nodeId).changes > 0) live.add(run_id)
    }
    return live
  }
  const commit = file.transaction(append)
  return async (db, nodeId, events) =>
    db.isTransaction
      ? append(nodeId, events)
      : retryWhileLocked(maxWaitMs, () =>
          db.connection().execute(async () => commit.immediate(nodeId, events)),
        )
}

/** SQLite 3.51.3 or newer. `file` is the only connection of this process that writes. */
export const sqliteDialect = (
  file: BetterSqlite.Database,
  maxWaitMs: number = defaultMaxWaitMs,
): Dialect => ({
  kind: 'sqlite',
  integer: 'integer',
  incrementingKey: 'integer primary key autoincrement',
  // BEGIN IMMEDIATE holds the only write lock already.
  lockMigrations: () => Promise.resolve(),
  lockOutServers: () => Promise.resolve(true),
  lockPurge: () => Promise.resolve(true),
  beginSnapshotSql: 'begin',
  searchIndexSchema: sqliteSearchIndex,
  searchAgainSql: foldedAgain,
  searchMergeSql: ["insert into message_search (message_search, rank) values ('automerge', 0)"],
  clock: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
  lockInOrder: sql``,
  lockRows: sql``,
  appendRunEvents: appendToSqlite(file, maxWaitMs),
  // The transaction is the only writer.
  lockRun: () => Promise.resolve(),
  notifyRuns: () => Promise.resolve(),
  notifyChange: () => Promise.resolve(),
  isUniqueViolation: (error) =>
    ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY'].includes(errorCode(error)),
})
