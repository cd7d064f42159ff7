import type { Kysely } from 'kysely'
import type { Tables } from '../tables/tables.ts'

/** The tools that are left out of requests to a model, beginning with the request for a reply. */
export async function addLeftOutTools(trx: Kysely<Tables>): Promise<void> {
  await trx.schema.alterTable('messages').addColumn('left_out_tools', 'text').execute()
}
