import type { Kysely } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/**
 * The number of characters of a chat. Existing chats start at 0, because counting their messages would take too long.
 */
export async function addChatSizes(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await trx.schema
    .alterTable('chats')
    .addColumn('chars', integer, (column) => column.notNull().defaultTo(0))
    .execute()
}
