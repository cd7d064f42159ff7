import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/** The columns of `messages` that both engines declare in the same way. Their `position` differs. */
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

/** Users, bots, the append-only tree of messages, and the runs that write into it. */
export async function createChats(trx: Kysely<Tables>, dialect: Dialect): Promise<void> {
  const { integer } = dialect
  await trx.schema
    .createTable('users')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('name', 'text')
    .addColumn('email', 'text')
    .addColumn('picture', 'text')
    .addColumn('created_at', integer, (c) => c.notNull())
    .addUniqueConstraint('users_identity', ['issuer', 'subject'])
    .execute()
  await trx.schema
    .createTable('bots')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('base_url', 'text')
    .addColumn('api_key', 'text')
    .addColumn('api_type', 'text')
    .addColumn('custom_api_path', 'text')
    .addColumn('max_tokens', integer)
    .addColumn('created_at', integer, (c) => c.notNull())
    .addUniqueConstraint('bots_name', ['user_id', 'name'])
    .execute()
  await trx.schema
    .createTable('chats')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('selected_message_id', 'text')
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('updated_at', integer, (c) => c.notNull())
    .execute()
  await trx.schema.createIndex('chats_by_time').on('chats').columns(['user_id', 'updated_at']).execute()
  await dialect.createMessageTable(trx, messageColumns)
  await trx.schema
    .createIndex('messages_by_parent')
    .on('messages')
    .columns(['chat_id', 'parent_id'])
    .execute()
  await trx.schema
    .createIndex('messages_by_time')
    .on('messages')
    .columns(['chat_id', 'unix_timestamp'])
    .execute()
  // Reserved chats that were never used are found by this index, without reading all chats.
  await sql`create index chats_empty on chats (created_at) where selected_message_id is null`.execute(trx)
  await createRuns(trx, dialect)
}

async function createRuns(trx: Kysely<Tables>, dialect: Dialect): Promise<void> {
  const { integer } = dialect
  await dialect
    .addIncrementingKey(trx.schema.createTable('runs'), 'id')
    .addColumn('chat_id', 'text', (c) => c.notNull().references('chats.id').onDelete('cascade'))
    .addColumn('user_id', 'text', (c) => c.notNull())
    .addColumn('message_id', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('node_id', 'text', (c) => c.notNull())
    .addColumn('lease_until', integer, (c) => c.notNull())
    .addColumn('last_seq', integer, (c) => c.notNull())
    .addColumn('stop_requested', integer, (c) => c.notNull().defaultTo(0))
    .addColumn('started_at', integer, (c) => c.notNull())
    .addColumn('ended_at', integer)
    .execute()
  // A chat has at most one active run. Inserting a second one fails, even at the same moment.
  await sql`create unique index runs_active on runs (chat_id) where status = 'running'`.execute(trx)
  await trx.schema.createIndex('runs_by_chat').on('runs').columns(['chat_id', 'started_at']).execute()
  await trx.schema.createIndex('runs_by_end').on('runs').column('ended_at').execute()
  await trx.schema.createIndex('runs_by_status').on('runs').columns(['status', 'lease_until']).execute()
  await trx.schema
    .createTable('run_events')
    .addColumn('run_id', integer, (c) => c.notNull().references('runs.id').onDelete('cascade'))
    .addColumn('seq', integer, (c) => c.notNull())
    .addColumn('event', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('run_events_key', ['run_id', 'seq'])
    .execute()
}
