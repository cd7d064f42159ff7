import type { Kysely } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/** Which bots are copies of the operator's default bots that their users have not changed. */
export async function markDefaultBots(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await trx.schema
    .alterTable('bots')
    .addColumn('is_default', integer, (column) => column.notNull().defaultTo(0))
    .execute()
}
