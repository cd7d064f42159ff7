import type { Kysely } from 'kysely'
import type { Tables } from '../tables/tables.ts'

/** The blocked tools of a connector, which are not offered to models. */
export async function addBlockedTools(trx: Kysely<Tables>): Promise<void> {
  await trx.schema.alterTable('connectors').addColumn('blocked_tools', 'text').execute()
}
