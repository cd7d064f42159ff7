import type { Kysely } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/**
 * What all replies say at once lies together, and only its keys among those of its run. By key, each reply under way has
 * a page of its own, and a commit writes as many pages as there are replies.
 */
export async function eventsAsWritten(trx: Kysely<Tables>, dialect: Dialect): Promise<void> {
  await dialect.storeEvents(trx, 'as written')
}
