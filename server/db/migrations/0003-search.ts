import type { Kysely } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/** The index for the search in the text of messages. On PostgreSQL, migration 14 replaces it. */
export async function createSearch(trx: Kysely<Tables>, dialect: Dialect): Promise<void> {
  await dialect.createSearchIndex(trx)
}
