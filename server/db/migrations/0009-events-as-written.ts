import type { Kysely } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/**
 * Stores events in the order of writing, so that the events of simultaneous runs share pages. In the order of their
 * keys, each run would have a page of its own, and a commit would write one page for each run.
 */
export async function eventsAsWritten(trx: Kysely<Tables>, dialect: Dialect): Promise<void> {
  await dialect.setEventLayout(trx, 'as written')
}
