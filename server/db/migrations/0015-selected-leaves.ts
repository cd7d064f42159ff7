import type { Kysely } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/** When a leaf was last selected, so that a version shows the path that it showed before. */
export async function rememberSelectedLeaves(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await trx.schema.alterTable('messages').addColumn('selected_at', integer).execute()
}
