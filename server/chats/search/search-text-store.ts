import { type Kysely, CompiledQuery, sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { formerIndex, moveQueuedTextsSql, queueMessagesSql } from '../../db/dialects/postgres-search.ts'
import type { Tables } from '../../db/tables/tables.ts'

/** Messages whose texts are stored, or that are queued, in one transaction. */
const batchSize = 50

/** PostgreSQL's code for a lock that is not free. */
const lockNotAvailable = '55P03'

/**
 * Stores the texts of up to `batchSize` queued messages for the search in PostgreSQL. When it finds fewer, it queues
 * messages that were written before the queue existed, newest first. Returns true when there may be more.
 */
export async function fillSearchTexts(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await db.executeQuery<{ count: number; hasBacklog: boolean }>(
    CompiledQuery.raw(moveQueuedTextsSql, [batchSize]),
  )
  const { count = 0, hasBacklog = false } = rows[0] ?? {}
  if (count === batchSize) return true
  return hasBacklog && queueBacklog(db)
}

/** Returns true when it has queued messages. When none is left, it removes the index of earlier versions. */
function queueBacklog(db: Kysely<Tables>): Promise<boolean> {
  const work = db.transaction().execute(async (trx) => {
    const backlog = await lockBacklog(trx)
    if (backlog === undefined) return false
    const { position, start } = backlog
    if (start !== null) {
      const after = Math.max(position - batchSize, start - 1)
      await trx.executeQuery(CompiledQuery.raw(queueMessagesSql, [after, position]))
      await sql`update search_backlog set position = ${after}`.execute(trx)
      return true
    }
    // Waiting for the lock would make every later statement on `messages` wait too.
    await sql`lock table messages in access exclusive mode nowait`.execute(trx)
    await sql`drop index if exists ${sql.ref(formerIndex)}`.execute(trx)
    await sql`delete from search_backlog`.execute(trx)
    return false
  })
  return work.catch((error: unknown) => {
    // The removal is tried again later. Until then the index does no harm.
    if (error instanceof Error && 'code' in error && error.code === lockNotAvailable) return false
    throw error
  })
}

interface Backlog {
  /** Messages up to this position are not queued yet. */
  readonly position: number
  /** The position of the oldest of them; null when none is left. */
  readonly start: number | null
}

/** Returns undefined when nothing is left, or when another node works on it. */
async function lockBacklog(trx: Db): Promise<Backlog | undefined> {
  const { rows } = await sql<Backlog>`
    select b.position, (select min(m.position) from messages m where m.position <= b.position) as start
    from search_backlog b for update of b skip locked`.execute(trx)
  return rows[0]
}
