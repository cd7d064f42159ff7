import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/**
 * Less to write for each message and each piece of a reply: every index is another page of a commit. Runs that are under
 * way are few, so the index that allows one to a chat finds them for every other question too.
 */
export async function leanRuns(trx: Kysely<Tables>, dialect: Dialect): Promise<void> {
  await trx.schema.dropIndex('runs_by_status').execute()
  await trx.schema.dropIndex('runs_by_end').execute()
  await sql`create index runs_by_end on runs (ended_at) where ended_at is not null`.execute(trx)
  await dialect.storeEvents(trx, 'by key')
}
