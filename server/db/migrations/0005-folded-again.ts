import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/** Messages are indexed in a form that is the same for every Unicode form of a word. */
export async function foldAgain(trx: Kysely<Tables>, { searchAgainSql }: Dialect): Promise<void> {
  for (const statement of searchAgainSql) await sql.raw(statement).execute(trx)
}
