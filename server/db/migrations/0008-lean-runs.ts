import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/**
 * Removes one index and makes another smaller, because every index adds pages to write. Few runs are active, so the
 * unique index of active runs is enough for the queries by status. It also orders the events by key, which migration 9
 * undoes.
 */
export async function leanRuns(trx: Kysely<Tables>, dialect: Dialect): Promise<void> {
  await trx.schema.dropIndex('runs_by_status').execute()
  await trx.schema.dropIndex('runs_by_end').execute()
  await sql`create index runs_by_end on runs (ended_at) where ended_at is not null`.execute(trx)
  await dialect.setEventLayout(trx, 'by key')
}
