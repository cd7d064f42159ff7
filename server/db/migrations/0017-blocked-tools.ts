import type { Kysely } from 'kysely'
import type { Tables } from '../tables/tables.ts'

/** The tools of a connector that models are not offered. */
export async function addBlockedTools(trx: Kysely<Tables>): Promise<void> {
  await trx.schema.alterTable('connectors').addColumn('blocked_tools', 'text').execute()
}
