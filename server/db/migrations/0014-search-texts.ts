import type { Kysely } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/**
 * Another search index for PostgreSQL. The texts of existing messages are copied while the server runs
 * (`chats/search/search-text-store.ts`); until then the former index finds these messages.
 */
export async function createSearchTexts(trx: Kysely<Tables>, dialect: Dialect): Promise<void> {
  await dialect.createSearchTexts(trx)
}
