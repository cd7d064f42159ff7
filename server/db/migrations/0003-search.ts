import type { Kysely } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/** Search in the text of messages, by trigrams on both engines. */
export async function createSearch(trx: Kysely<Tables>, dialect: Dialect): Promise<void> {
  await dialect.createSearchIndex(trx)
}
