import type { Kysely } from 'kysely'
import { CompiledQuery, sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { copyTexts, formerIndex, moveQueuedTexts } from '../../db/dialects/postgres-search.ts'
import type { Tables } from '../../db/tables/tables.ts'

/** Messages whose texts are stored in one transaction. */
const batchSize = 50
/** Milliseconds for which the last step may wait for other statements, because others wait for it meanwhile. */
const maxLockWaitMs = 50

/**
 * Stores the texts of some messages for the search in PostgreSQL: of queued ones, then of those that are older than the
 * queue, newest first. Returns true when there are more.
 */
export async function fillSearchTexts(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await db.executeQuery<{ count: number }>(CompiledQuery.raw(moveQueuedTexts, [batchSize]))
  if (rows[0]?.count === batchSize) return true
  return fillBacklog(db)
}

/** The last step removes the index of earlier versions, which found these messages. */
function fillBacklog(db: Kysely<Tables>): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const backlog = await lockBacklog(trx)
    if (backlog === undefined) return false
    const { position, start } = backlog
    if (start !== null) {
      const after = Math.max(position - batchSize, start - 1)
      await trx.executeQuery(CompiledQuery.raw(copyTexts, [after, position]))
      await sql`update search_backlog set position = ${after}`.execute(trx)
      return true
    }
    await sql`select set_config('lock_timeout', ${String(maxLockWaitMs)}, true)`.execute(trx)
    await sql`drop index if exists ${sql.ref(formerIndex)}`.execute(trx)
    await sql`delete from search_backlog`.execute(trx)
    return false
  })
}

interface Backlog {
  readonly position: number
  /** The oldest message; null when none is left. */
  readonly start: number | null
}

/** Returns undefined when nothing is left, or when another node works on it. */
async function lockBacklog(trx: Db): Promise<Backlog | undefined> {
  const { rows } = await sql<Backlog>`
    select b.position, (select min(m.position) from messages m where m.position <= b.position) as start
    from search_backlog b for update of b skip locked`.execute(trx)
  return rows[0]
}
