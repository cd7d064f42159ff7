import type BetterSqlite from 'better-sqlite3'
import type { ColumnDataType, CreateTableBuilder, Kysely, RawBuilder } from 'kysely'
import { CompiledQuery, sql } from 'kysely'
import type { ChangeNews, Db } from '../database.ts'
import type { RunEventRow, Tables } from '../tables/tables.ts'

/** The channel on which PostgreSQL nodes tell each other which runs have news. */
export const runChannel = 'yonder_runs'
/** The same for what has changed otherwise. */
export const changeChannels: Readonly<Record<ChangeNews['topic'], string>> = {
  chat: 'yonder_chats',
  settings: 'yonder_settings',
}

/** Everything in which SQLite and PostgreSQL differ, in one place. */
export interface Dialect {
  readonly kind: 'sqlite' | 'postgres'
  /** Whole numbers large enough for milliseconds. */
  readonly integer: ColumnDataType
  /** Holds every other migration off until this transaction ends. */
  lockMigrations(trx: Db): Promise<void>
  /** Adds a primary key that the engine counts up and never gives twice. */
  withNumber<Table extends string>(
    table: CreateTableBuilder<Table>,
    column: string,
  ): CreateTableBuilder<Table, string>
  createMessageTable(trx: Kysely<Tables>): Promise<void>
  /** Where the rows of `run_events` lie, if the engine leaves the choice. */
  storeEvents(trx: Kysely<Tables>, place: 'by key' | 'as written'): Promise<void>
  /** Builds what `chats/search-store.ts` searches. */
  createSearchIndex(trx: Kysely<Tables>): Promise<void>
  /** Milliseconds since 1970 by the database's clock: nodes compare leases with it, their own clocks may differ. */
  readonly clock: RawBuilder<number>
  /**
   * Writes events of runs and gives the runs that `nodeId` still holds; events of the others are not written. One
   * commit outside of a transaction. Writing an event twice leaves one.
   */
  appendRunEvents(db: Db, nodeId: string, events: readonly RunEventRow[]): Promise<ReadonlySet<number>>
  /** Keeps every writer of this run's events out until the transaction ends. */
  lockRun(trx: Db, runId: number): Promise<void>
  /** Wakes whoever waits for these runs on other nodes (`openSignals`). Nothing where only one process is expected. */
  wake(db: Db, runIds: readonly number[]): Promise<void>
  /** Tells other nodes of a change. */
  tellChange(db: Db, news: ChangeNews): Promise<void>
  isUniqueViolation(error: unknown): boolean
  /** The disk is full or the file cannot be written. */
  isStorageFull(error: unknown): boolean
}

function codeOf(error: unknown): string {
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : ''
  return typeof code === 'string' ? code : ''
}

const messageColumns = sql.raw(`
  chat_id text not null references chats (id) on delete cascade,
  id text not null,
  parent_id text,
  role text not null,
  content text not null,
  reasoning text,
  status text not null,
  error_code text,
  error_message text,
  model text,
  provider text,
  bot text,
  usage text,
  finish text,
  first_id text not null,
  second_id text,
  server text,
  tool text,
  arguments text,
  unix_timestamp bigint not null,
  unique (chat_id, id)`)

/*
 * The index holds which grams (`chats/cut-grams.ts`) a message has, and nothing else; `chats/search-store.ts` says how
 * its row ids are made.
 * Triggers queue what is finished, whoever wrote it.
 */
const finished = (row: string) =>
  `${row}.status <> 'streaming' and (${row}.server is null or ${row}.role = 'assistant')`
const sqliteSearchIndex = [
  `create virtual table message_search using fts5(grams, content='', columnsize=0, detail=none, prefix='2 3',
    tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'")`,
  `create table search_users (number integer primary key autoincrement, user_id text not null unique)`,
  `create table search_queue (position integer primary key, chunk integer not null default 0)`,
  `create trigger queue_new_message after insert on messages when ${finished('new')} begin
    insert or ignore into search_queue (position) values (new.position); end`,
  `create trigger queue_ended_reply after update of status on messages
    when old.status = 'streaming' and ${finished('new')} begin
    insert or ignore into search_queue (position) values (new.position); end`,
]

const movedEvents = (place: string): readonly string[] => [
  `create table moved_events (
    run_id integer not null references runs (id) on delete cascade, seq integer not null, event text not null,
    primary key (run_id, seq)) ${place}`,
  'insert into moved_events (run_id, seq, event) select run_id, seq, event from run_events',
  'drop table run_events',
  'alter table moved_events rename to run_events',
]

// Row by row in one transaction: one statement for all rows takes three times as long.
const insertRunEvent = `
  insert into run_events (run_id, seq, event)
  select id, ?, ? from runs where id = ? and node_id = ? and status = 'running'
  on conflict (run_id, seq) do update set event = run_events.event`

/** Goes past Kysely, which would build and await each row: this is the path of every token. */
function appendToSqlite(file: BetterSqlite.Database): Dialect['appendRunEvents'] {
  let insert: BetterSqlite.Statement<[number, string, number, string]> | undefined
  const append = (nodeId: string, events: readonly RunEventRow[]): ReadonlySet<number> => {
    // Its table comes with the first migration.
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
      : db.connection().execute(async () => commit.immediate(nodeId, events))
}

// The lock makes whoever closes an expired run (`lockRun`) wait for this commit, or this statement see it closed; renewing
// a lease does not wait for it.
const appendToPostgres = `
  with live as (
    select id from runs where id = any($1::bigint[]) and node_id = $2 and status = 'running' order by id for key share
  ), written as (
    insert into run_events (run_id, seq, event)
    select e.run_id, e.seq, e.event from unnest($3::bigint[], $4::bigint[], $5::text[]) as e (run_id, seq, event)
    join live on live.id = e.run_id
    on conflict (run_id, seq) do nothing
  )
  select coalesce(array_agg(id), '{}') as ids, pg_notify('${runChannel}', string_agg(id::text, ',')) from live`

/** SQLite 3.51.3 or newer; `file` is the one connection that writes. */
export const sqliteDialect = (file: BetterSqlite.Database): Dialect => ({
  kind: 'sqlite',
  integer: 'integer',
  // BEGIN IMMEDIATE has taken the only write lock already.
  lockMigrations: () => Promise.resolve(),
  withNumber: (table, column) => table.addColumn(column, 'integer', (c) => c.primaryKey().autoIncrement()),
  async createMessageTable(trx) {
    await sql`create table messages (position integer primary key autoincrement, ${messageColumns})`.execute(
      trx,
    )
  },
  async storeEvents(trx, place) {
    for (const statement of movedEvents(place === 'by key' ? 'without rowid' : '')) {
      await sql.raw(statement).execute(trx)
    }
  },
  async createSearchIndex(trx) {
    for (const statement of sqliteSearchIndex) await sql.raw(statement).execute(trx)
  },
  clock: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
  appendRunEvents: appendToSqlite(file),
  // The transaction is the only writer.
  lockRun: () => Promise.resolve(),
  wake: () => Promise.resolve(),
  tellChange: () => Promise.resolve(),
  isUniqueViolation: (error) =>
    ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY'].includes(codeOf(error)),
  isStorageFull: (error) => /^SQLITE_(FULL|READONLY|IOERR)/.test(codeOf(error)),
})

/** An arbitrary constant that names Yonder's migration lock among a server's advisory locks. */
const migrationLock = 7_046_110

/** PostgreSQL 15 or newer. */
export const postgresDialect: Dialect = {
  kind: 'postgres',
  integer: 'bigint',
  async lockMigrations(trx) {
    await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(trx)
  },
  withNumber: (table, column) => table.addColumn(column, 'bigserial', (c) => c.primaryKey()),
  async createMessageTable(trx) {
    await sql`create table messages (position bigserial primary key, ${messageColumns})`.execute(trx)
  },
  storeEvents: () => Promise.resolve(),
  async createSearchIndex(trx) {
    await sql`create extension if not exists pg_trgm`.execute(trx)
    await sql`create index messages_content_trigrams on messages using gin (content gin_trgm_ops)`.execute(
      trx,
    )
  },
  clock: sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
  async appendRunEvents(db, nodeId, events) {
    const runIds = [...new Set(events.map((event) => event.run_id))]
    const written = await db.executeQuery<{ ids: (number | string)[] }>(
      CompiledQuery.raw(appendToPostgres, [
        runIds,
        nodeId,
        events.map((event) => event.run_id),
        events.map((event) => event.seq),
        events.map((event) => event.event),
      ]),
    )
    // An array of bigint comes as text.
    return new Set(written.rows[0]?.ids.map(Number))
  },
  async lockRun(trx, runId) {
    await sql`select id from runs where id = ${runId} for update`.execute(trx)
  },
  async wake(db, runIds) {
    await sql`select pg_notify(${runChannel}, ${runIds.join(',')})`.execute(db)
  },
  async tellChange(db, { topic, nodeId, userId, subject }) {
    await sql`select pg_notify(${changeChannels[topic]}, ${`${nodeId},${userId},${subject}`})`.execute(db)
  },
  isUniqueViolation: (error) => codeOf(error) === '23505',
  isStorageFull: (error) => ['53100', '58030', '25006'].includes(codeOf(error)),
}
