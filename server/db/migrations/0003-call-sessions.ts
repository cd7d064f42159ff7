import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/** The chat and the server's session of each call, and how long the tools of a connector may be silent. */
export async function addCallSessions(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await sql.raw('alter table tool_calls add column chat_id text').execute(trx)
  await sql.raw('alter table tool_calls add column session text').execute(trx)
  await sql
    .raw('create index tool_calls_by_chat on tool_calls (chat_id, connector_id, started_at)')
    .execute(trx)
  await sql.raw(`alter table connectors add column time_limit ${integer}`).execute(trx)
}
