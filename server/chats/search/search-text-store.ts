import { type Kysely, CompiledQuery } from 'kysely'
import { moveQueuedTextsSql } from '../../db/dialects/postgres-search.ts'
import type { Tables } from '../../db/tables/tables.ts'

/** Messages whose texts are stored in one transaction. */
const batchSize = 50

/**
 * Stores the texts of up to `batchSize` queued messages for the search in PostgreSQL. Returns true when there may be
 * more.
 */
export async function fillSearchTexts(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await db.executeQuery<{ count: number }>(
    CompiledQuery.raw(moveQueuedTextsSql, [batchSize]),
  )
  return rows[0]?.count === batchSize
}
