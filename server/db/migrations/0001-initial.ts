import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/** Every table of the first release. */
export async function createTables(trx: Kysely<Tables>, dialect: Dialect): Promise<void> {
  await createInstallation(trx)
  await createUsers(trx, dialect)
  await createIdentity(trx, dialect)
  await createBots(trx, dialect)
  await createChats(trx, dialect)
  await createRuns(trx, dialect)
  await createPrompts(trx, dialect)
  await dialect.createSearchIndex(trx)
  await createShares(trx, dialect)
  await createConnectors(trx, dialect)
  await createConnectorConsents(trx, dialect)
  await createToolCalls(trx, dialect)
  await createIntegrations(trx, dialect)
  await createUsageRecords(trx, dialect)
}

/** The identity of the built-in provider, which the users with an account here belong to, whatever the address is. */
async function createInstallation(trx: Kysely<Tables>): Promise<void> {
  await trx.schema
    .createTable('installation')
    .addColumn('issuer', 'text', (c) => c.primaryKey())
    .execute()
  await sql`insert into installation (issuer) values (${`urn:uuid:${randomUUID()}`})`.execute(trx)
}

async function createUsers(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await trx.schema
    .createTable('users')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('name', 'text')
    .addColumn('email', 'text')
    .addColumn('picture', 'text')
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('disabled_at', integer)
    .addColumn('pending', 'text')
    .addUniqueConstraint('users_identity', ['issuer', 'subject'])
    .execute()
}

/** The built-in identity provider: its sealed keys, accounts, protocol records and sign-ins. */
async function createIdentity(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await trx.schema
    .createTable('keys')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('created_at', integer, (c) => c.notNull())
    .execute()
  await trx.schema
    .createTable('accounts')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('email', 'text')
    .addColumn('name', 'text')
    .addColumn('picture', 'text')
    .addColumn('password_hash', 'text')
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('disabled_at', integer)
    .execute()
  // An account that signs in with Google may have the email of a local account. They are two accounts.
  await sql`create unique index accounts_email on accounts (email) where password_hash is not null`.execute(
    trx,
  )
  await trx.schema
    .createTable('oidc')
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('payload', 'text', (c) => c.notNull())
    .addColumn('grant_id', 'text')
    .addColumn('uid', 'text')
    .addColumn('expires_at', integer)
    .addColumn('consumed_at', integer)
    .addColumn('account_id', 'text')
    .addColumn('sign_in_id', 'text')
    .addPrimaryKeyConstraint('oidc_key', ['model', 'id'])
    .execute()
  await trx.schema.createIndex('oidc_by_grant').on('oidc').column('grant_id').execute()
  await trx.schema.createIndex('oidc_by_uid').on('oidc').columns(['model', 'uid']).execute()
  await trx.schema.createIndex('oidc_by_account').on('oidc').column('account_id').execute()
  await trx.schema.createIndex('oidc_by_expiry').on('oidc').column('expires_at').execute()
  await trx.schema
    .createTable('ended_grants')
    .addColumn('grant_id', 'text', (c) => c.primaryKey())
    .addColumn('expires_at', integer, (c) => c.notNull())
    .execute()
  await trx.schema
    .createTable('sign_ins')
    .addColumn('grant_id', 'text', (c) => c.primaryKey())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('browser', 'text')
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('used_at', integer, (c) => c.notNull())
    .execute()
  await trx.schema.createIndex('sign_ins_by_account').on('sign_ins').column('account_id').execute()
}

async function createBots(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
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
    .addColumn('instructions', 'text')
    .addColumn('temperature', 'double precision')
    .addColumn('top_p', 'double precision')
    .addColumn('reasoning_effort', 'text')
    .addColumn('context_window', integer)
    .addColumn('connectors', 'text')
    .addColumn('created_at', integer, (c) => c.notNull())
    .addUniqueConstraint('bots_name', ['user_id', 'name'])
    .execute()
}

/** The columns of `messages` that both engines declare in the same way. Their `position` differs. */
const messageColumns = sql.raw(`
  chat_id text not null references chats (id) on delete cascade,
  id text not null,
  parent_id text,
  role text not null,
  content text not null,
  files text,
  reasoning text,
  status text not null,
  error_code text,
  error_message text,
  model text,
  provider text,
  bot_id text,
  bot text,
  usage text,
  finish text,
  first_id text not null,
  second_id text,
  connector_id text,
  server text,
  tool text,
  arguments text,
  call_state text,
  call text,
  outcome text,
  notice text,
  left_out_tools text,
  unix_timestamp bigint not null,
  selected_at bigint,
  unique (chat_id, id)`)

/** The append-only tree of messages, and their files. */
async function createChats(trx: Kysely<Tables>, dialect: Dialect): Promise<void> {
  const { integer } = dialect
  await trx.schema
    .createTable('chats')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('selected_message_id', 'text')
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('updated_at', integer, (c) => c.notNull())
    .addColumn('chars', integer, (c) => c.notNull().defaultTo(0))
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
  // Finds pending calls without reading all messages.
  await sql`create index messages_waiting on messages (chat_id) where call_state = 'waiting'`.execute(trx)
  await trx.schema
    .createTable('files')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('chat_id', 'text', (c) => c.notNull())
    .addColumn('message_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('size', integer, (c) => c.notNull())
    .addColumn('data', 'text', (c) => c.notNull())
    .addForeignKeyConstraint(
      'files_of_messages',
      ['chat_id', 'message_id'],
      'messages',
      ['chat_id', 'id'],
      (c) => c.onDelete('cascade'),
    )
    .execute()
  await trx.schema.createIndex('files_by_message').on('files').columns(['chat_id', 'message_id']).execute()
}

/** The runs that write replies, their events, and responses to elicitations. */
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
  await sql`create index runs_by_end on runs (ended_at) where ended_at is not null`.execute(trx)
  // In the order of writing, so that the events of simultaneous runs share pages. In the order of their keys (`without
  // rowid`), each run would have a page of its own, and a commit would write one page for each run.
  await trx.schema
    .createTable('run_events')
    .addColumn('run_id', integer, (c) => c.notNull().references('runs.id').onDelete('cascade'))
    .addColumn('seq', integer, (c) => c.notNull())
    .addColumn('event', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('run_events_key', ['run_id', 'seq'])
    .execute()
  await trx.schema
    .createTable('question_answers')
    .addColumn('question_id', 'text', (c) => c.primaryKey())
    .addColumn('run_id', integer, (c) => c.notNull().references('runs.id').onDelete('cascade'))
    .addColumn('answer', 'text', (c) => c.notNull())
    .execute()
  await trx.schema.createIndex('question_answers_by_run').on('question_answers').column('run_id').execute()
}

/** The summaries in place of older messages, and what the model was given for each reply. */
async function createPrompts(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await trx.schema
    .createTable('compactions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('chat_id', 'text', (c) => c.notNull())
    .addColumn('message_id', 'text', (c) => c.notNull())
    .addColumn('message_count', integer, (c) => c.notNull())
    .addColumn('content', 'text', (c) => c.notNull())
    .addColumn('bot_id', 'text', (c) => c.notNull())
    .addColumn('bot', 'text', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('edited', integer, (c) => c.notNull())
    .addColumn('written_at', integer, (c) => c.notNull())
    .addColumn('held_until', integer)
    .addForeignKeyConstraint(
      'compactions_of_messages',
      ['chat_id', 'message_id'],
      'messages',
      ['chat_id', 'id'],
      (c) => c.onDelete('cascade'),
    )
    .execute()
  // A message is the last one of at most one summary, even when two requests write a summary at the same moment.
  await trx.schema
    .createIndex('compactions_by_message')
    .unique()
    .on('compactions')
    .columns(['chat_id', 'message_id'])
    .execute()
  await trx.schema
    .createTable('sent_prompts')
    .addColumn('chat_id', 'text', (c) => c.notNull())
    .addColumn('message_id', 'text', (c) => c.notNull())
    .addColumn('prompt', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('sent_prompts_key', ['chat_id', 'message_id'])
    .addForeignKeyConstraint(
      'prompts_of_messages',
      ['chat_id', 'message_id'],
      'messages',
      ['chat_id', 'id'],
      (c) => c.onDelete('cascade'),
    )
    .execute()
  await trx.schema
    .createTable('prompt_texts')
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('hash', 'text', (c) => c.notNull())
    .addColumn('content', 'text', (c) => c.notNull())
    .addColumn('used_at', integer, (c) => c.notNull())
    .addPrimaryKeyConstraint('prompt_texts_key', ['user_id', 'hash'])
    .execute()
  await trx.schema
    .createIndex('prompt_texts_by_use')
    .on('prompt_texts')
    .columns(['user_id', 'used_at'])
    .execute()
}

/** Links to messages. A message has at most one, so that sharing it twice at the same time creates one link. */
async function createShares(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await trx.schema
    .createTable('shares')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('chat_id', 'text', (c) => c.notNull())
    .addColumn('message_id', 'text', (c) => c.notNull())
    .addColumn('created_at', integer, (c) => c.notNull())
    .addUniqueConstraint('shares_message', ['chat_id', 'message_id'])
    .addForeignKeyConstraint(
      'shares_of_messages',
      ['chat_id', 'message_id'],
      'messages',
      ['chat_id', 'id'],
      (c) => c.onDelete('cascade'),
    )
    .execute()
  await trx.schema.createIndex('shares_by_time').on('shares').columns(['user_id', 'created_at']).execute()
}

/** Connectors, their tools, and what each tool may do. */
async function createConnectors(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await trx.schema
    .createTable('connectors')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('token', 'text')
    .addColumn('client_id', 'text')
    .addColumn('client_secret', 'text')
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('error_message', 'text')
    .addColumn('call_error', 'text')
    .addColumn('notice', 'text')
    .addColumn('is_default', integer, (c) => c.notNull())
    .addColumn('asks', integer, (c) => c.notNull())
    .addColumn('slug', 'text', (c) => c.notNull())
    .addColumn('credential_version', integer, (c) => c.notNull())
    .addColumn('tools_expire_at', integer)
    .addColumn('era', 'text')
    .addColumn('created_at', integer, (c) => c.notNull())
    .addUniqueConstraint('connectors_name', ['user_id', 'name'])
    .addUniqueConstraint('connectors_slug', ['user_id', 'slug'])
    .execute()
  await trx.schema
    .createTable('connector_tools')
    .addColumn('connector_id', 'text', (c) => c.notNull().references('connectors.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('position', integer, (c) => c.notNull())
    .addColumn('definition', 'text', (c) => c.notNull())
    .addColumn('fingerprint', 'text', (c) => c.notNull())
    .addColumn('problem', 'text')
    .addPrimaryKeyConstraint('connector_tools_key', ['connector_id', 'name'])
    .execute()
  await trx.schema
    .createTable('tool_permissions')
    .addColumn('connector_id', 'text', (c) => c.notNull().references('connectors.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('permission', 'text', (c) => c.notNull())
    .addColumn('position', integer, (c) => c.notNull())
    .addColumn('fingerprint', 'text')
    .addColumn('definition', 'text')
    .addPrimaryKeyConstraint('tool_permissions_key', ['connector_id', 'name'])
    .execute()
}

/** OAuth grants and pending consents, and the catalogue. */
async function createConnectorConsents(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await trx.schema
    .createTable('connector_grants')
    .addColumn('connector_id', 'text', (c) => c.primaryKey().references('connectors.id').onDelete('cascade'))
    .addColumn('user_id', 'text', (c) => c.notNull())
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('tokens', 'text')
    .addColumn('details', 'text', (c) => c.notNull())
    .addColumn('refreshing_until', integer)
    .execute()
  await trx.schema
    .createTable('connector_consents')
    .addColumn('state_hash', 'text', (c) => c.primaryKey())
    .addColumn('connector_id', 'text', (c) => c.notNull().references('connectors.id').onDelete('cascade'))
    .addColumn('user_id', 'text', (c) => c.notNull())
    .addColumn('browser_hash', 'text', (c) => c.notNull())
    .addColumn('payload', 'text', (c) => c.notNull())
    .addColumn('expires_at', integer, (c) => c.notNull())
    .execute()
  await trx.schema
    .createTable('connector_catalogue')
    .addColumn('source', 'text', (c) => c.primaryKey())
    .addColumn('servers', 'text', (c) => c.notNull())
    .addColumn('fetched_at', integer, (c) => c.notNull())
    .addColumn('attempted_at', integer, (c) => c.notNull())
    .execute()
}

/** The record of calls. It is kept when its connector is deleted. */
async function createToolCalls(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await trx.schema
    .createTable('tool_calls')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('connector_id', 'text')
    .addColumn('connector', 'text', (c) => c.notNull())
    .addColumn('tool', 'text', (c) => c.notNull())
    .addColumn('arguments_hash', 'text', (c) => c.notNull())
    .addColumn('approval', 'text', (c) => c.notNull())
    .addColumn('outcome', 'text', (c) => c.notNull())
    .addColumn('started_at', integer, (c) => c.notNull())
    .addColumn('duration', integer)
    .addColumn('bytes', integer)
    .execute()
  await trx.schema
    .createIndex('tool_calls_by_time')
    .on('tool_calls')
    .columns(['user_id', 'connector_id', 'started_at'])
    .execute()
}

/** Connections to outside services, and the pending consents of users. */
async function createIntegrations(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await trx.schema
    .createTable('integrations')
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('version', integer, (c) => c.notNull())
    .addColumn('api_key', 'text')
    .addColumn('tokens', 'text')
    .addColumn('scopes', 'text')
    .addColumn('ended', integer, (c) => c.notNull())
    .addColumn('call_error', 'text')
    .addColumn('refreshing_until', integer)
    .addColumn('created_at', integer, (c) => c.notNull())
    .addPrimaryKeyConstraint('integrations_key', ['user_id', 'name'])
    .execute()
  await trx.schema
    .createTable('integration_consents')
    .addColumn('state_hash', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('verifier', 'text', (c) => c.notNull())
    .addColumn('expires_at', integer, (c) => c.notNull())
    .addForeignKeyConstraint(
      'consents_of_integrations',
      ['user_id', 'name'],
      'integrations',
      ['user_id', 'name'],
      (c) => c.onDelete('cascade'),
    )
    .execute()
  await trx.schema
    .createIndex('integration_consents_by_end')
    .on('integration_consents')
    .column('expires_at')
    .execute()
}

/**
 * What each call of a model used and cost. The only foreign key is the user, so that a record survives the deletion of
 * its chat and its bot.
 */
async function createUsageRecords(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await trx.schema
    .createTable('usage_records')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('chat_id', 'text', (c) => c.notNull())
    .addColumn('message_id', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('bot_id', 'text', (c) => c.notNull())
    .addColumn('bot', 'text', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('provider', 'text')
    .addColumn('time', integer, (c) => c.notNull())
    .addColumn('input_tokens', integer)
    .addColumn('output_tokens', integer)
    .addColumn('cached_tokens', integer)
    .addColumn('cache_write_tokens', integer)
    .addColumn('reasoning_tokens', integer)
    .addColumn('cost', integer)
    .addColumn('currency', 'text')
    .addColumn('duration_ms', integer)
    .addColumn('first_text_ms', integer)
    .execute()
  await trx.schema.createIndex('usage_by_time').on('usage_records').columns(['user_id', 'time']).execute()
  await trx.schema
    .createIndex('usage_by_message')
    .on('usage_records')
    .columns(['user_id', 'chat_id', 'message_id'])
    .execute()
}
