import type { Kysely } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/** How much text a chat has. Chats that exist count from here on, because reading all of them would take too long. */
export async function addChatSizes(trx: Kysely<Tables>, { integer }: Dialect): Promise<void> {
  await trx.schema
    .alterTable('chats')
    .addColumn('chars', integer, (column) => column.notNull().defaultTo(0))
    .execute()
}
