import { sql } from 'kysely'
import type { Database, Db } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/**
 * Tables that a backup does not contain: of the search index, for which triggers queue restored messages, of the
 * servers that run, of bytes that no file has, of exports and imports, which last a day, of notifications on their way, and of
 * tabs that are open.
 */
export const otherTables = [
  'search_queue',
  'search_users',
  'nodes',
  'changes',
  'unused_bytes',
  'transfers',
  'notices',
  'visible_tabs',
] as const satisfies readonly (keyof Tables)[]
type OtherTable = (typeof otherTables)[number]
export type CopiedTable = Exclude<keyof Tables, OtherTable>

/**
 * The primary keys of the tables that a backup contains. Foreign keys refer only to earlier tables, because the rows
 * are inserted in this order.
 */
export const primaryKeys: { readonly [T in CopiedTable]: readonly (keyof Tables[T] & string)[] } = {
  installation: ['issuer'],
  users: ['id'],
  bots: ['id'],
  projects: ['id'],
  chats: ['id'],
  messages: ['position'],
  runs: ['id'],
  run_events: ['run_id', 'seq'],
  keys: ['name'],
  accounts: ['id'],
  oidc: ['model', 'id'],
  ended_grants: ['grant_id'],
  sign_ins: ['grant_id'],
  connectors: ['id'],
  connector_tools: ['connector_id', 'name'],
  tool_permissions: ['connector_id', 'name'],
  tool_grants: ['id'],
  tool_calls: ['id'],
  connector_grants: ['connector_id'],
  connector_consents: ['state_hash'],
  connector_catalogue: ['source'],
  shares: ['id'],
  files: ['id'],
  user_files: ['id'],
  message_files: ['file_id', 'chat_id', 'message_id'],
  file_texts: ['file_id', 'number'],
  file_pieces: ['file_id', 'number'],
  drafts: ['user_id', 'key'],
  queued_messages: ['chat_id', 'id'],
  push_subscriptions: ['id'],
  webhooks: ['user_id'],
  notification_settings: ['user_id'],
  question_answers: ['question_id'],
  integrations: ['user_id', 'name'],
  integration_consents: ['state_hash'],
  compactions: ['id'],
  sent_prompts: ['chat_id', 'message_id'],
  prompt_texts: ['user_id', 'hash'],
  usage_records: ['id'],
}

export const copiedTables = Object.keys(primaryKeys) as readonly CopiedTable[]

export interface Column {
  readonly name: string
  readonly isText: boolean
}

/** Returns the columns of every table, sorted by name, so that their order is the same on both databases. */
export async function listColumns({
  db,
  dialect,
}: {
  readonly db: Db
  readonly dialect: Database['dialect']
}): Promise<ReadonlyMap<string, readonly Column[]>> {
  const all =
    dialect.kind === 'postgres'
      ? sql<{ table: string; name: string; type: string }>`
          select table_name as table, column_name as name, data_type as type
          from information_schema.columns where table_schema = current_schema()`
      : sql<{ table: string; name: string; type: string }>`
          select m.name as "table", c.name, c.type from sqlite_master m, pragma_table_info(m.name) c
          where m.type = 'table'`
  const { rows } = await all.execute(db)
  const columns = rows
    .map(({ table, name, type }) => ({ table, name, isText: type.toLowerCase() === 'text' }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  return Map.groupBy(columns, ({ table }) => table)
}
