import type { Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { deleteQueued, findQueued, insertPiece, moveQueued, requireUserNumber } from './search-index-store.ts'
import { mostPieces, pieceLength, pieceOverlap } from './search-store.ts'
import { foldCase } from './split-words.ts'

/** Milliseconds for which one slice holds up everything else. */
const sliceTime = 3

/** What ends an indexed text, so that its last two characters begin trigrams too. */
const end = '\n\n'

/**
 * Indexes messages that wait for it, for a few milliseconds, in one transaction. True when more wait. Only for SQLite:
 * PostgreSQL indexes by itself.
 */
export async function indexMessages(db: Kysely<Tables>, time = sliceTime): Promise<boolean> {
  if ((await findQueued(db)) === undefined) return false
  return db.transaction().execute(async (trx) => {
    const until = performance.now() + time
    while (performance.now() < until) {
      const queued = await findQueued(trx)
      if (queued === undefined) return false
      const { position, chunk, content, user_id } = queued
      const piece = content === null || user_id === null ? undefined : pieceOf(foldCase(content), chunk)
      if (piece !== undefined && user_id !== null) {
        const user = await requireUserNumber(trx, user_id)
        await insertPiece(trx, { user, position, piece: chunk }, piece.text)
      }
      if (piece === undefined || piece.last) await deleteQueued(trx, position)
      else await moveQueued(trx, position, chunk + 1)
    }
    return true
  })
}

function pieceOf(text: string, number: number): { text: string; last: boolean } {
  const from = number * (pieceLength - pieceOverlap)
  const last = from + pieceLength >= text.length || number + 1 >= mostPieces
  return { text: text.slice(from, from + pieceLength).toWellFormed() + (last ? end : ''), last }
}
