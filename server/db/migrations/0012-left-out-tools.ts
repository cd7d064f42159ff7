import type { Kysely } from 'kysely'
import type { Tables } from '../tables/tables.ts'

/** The tools that requests to a model leave out, from this reply on until a later reply stores others. */
export async function addLeftOutTools(trx: Kysely<Tables>): Promise<void> {
  await trx.schema.alterTable('messages').addColumn('left_out_tools', 'text').execute()
}
