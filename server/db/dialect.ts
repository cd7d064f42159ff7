import type { ColumnDataType, Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Db } from './database.ts'
import type { Tables } from './tables.ts'

/** Everything in which SQLite and PostgreSQL differ, in one place. */
export interface Dialect {
  readonly kind: 'sqlite' | 'postgres'
  /** Whole numbers large enough for milliseconds. */
  readonly integer: ColumnDataType
  /** Holds every other migration off until this transaction ends. */
  lockMigrations(trx: Db): Promise<void>
  createMessageTable(trx: Kysely<Tables>): Promise<void>
  /** Builds what `chats/search-store.ts` searches. */
  createSearchIndex(trx: Kysely<Tables>): Promise<void>
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
  server text,
  tool text,
  arguments text,
  unix_timestamp bigint not null,
  unique (chat_id, id)`)

/** SQLite 3.51.3 or newer, one connection that writes. */
export const sqliteDialect: Dialect = {
  kind: 'sqlite',
  integer: 'integer',
  // BEGIN IMMEDIATE has taken the only write lock already.
  lockMigrations: () => Promise.resolve(),
  async createMessageTable(trx) {
    await sql`create table messages (position integer primary key autoincrement, ${messageColumns})`.execute(
      trx,
    )
  },
  async createSearchIndex(trx) {
    await sql`create virtual table message_search using fts5(
      content, content='messages', content_rowid='position', tokenize='trigram')`.execute(trx)
    await trx.schema
      .createTable('search_queue')
      .addColumn('position', 'integer', (c) => c.primaryKey())
      .execute()
  },
  isUniqueViolation: (error) =>
    ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY'].includes(codeOf(error)),
  isStorageFull: (error) => /^SQLITE_(FULL|READONLY|IOERR)/.test(codeOf(error)),
}

/** An arbitrary constant that names Yonder's migration lock among a server's advisory locks. */
const migrationLock = 7_046_110

/** PostgreSQL 15 or newer. */
export const postgresDialect: Dialect = {
  kind: 'postgres',
  integer: 'bigint',
  async lockMigrations(trx) {
    await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(trx)
  },
  async createMessageTable(trx) {
    await sql`create table messages (position bigserial primary key, ${messageColumns})`.execute(trx)
  },
  async createSearchIndex(trx) {
    await sql`create extension if not exists pg_trgm`.execute(trx)
    await sql`create index messages_content_trigrams on messages using gin (content gin_trgm_ops)`.execute(
      trx,
    )
  },
  isUniqueViolation: (error) => codeOf(error) === '23505',
  isStorageFull: (error) => ['53100', '58030', '25006'].includes(codeOf(error)),
}
