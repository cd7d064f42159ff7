import type { Kysely } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { cutGrams } from './words.ts'
import {
  deleteQueued,
  hasQueued,
  insertPiece,
  listQueued,
  moveQueued,
  numberUser,
} from './sqlite-index-store.ts'
import type { QueuedPiece } from './sqlite-index-store.ts'
import { mostPieces, pieceLength } from './sqlite-search-store.ts'
import { foldCase } from './words.ts'

/** Milliseconds for which one slice holds up everything else. */
const sliceTime = 3
/** Pieces read at once: about what a slice has time for when messages are short. */
const batchSize = 10

/**
 * Indexes messages that wait for it, for a few milliseconds, in one transaction. True when more wait. Only for SQLite:
 * PostgreSQL indexes by itself.
 */
export async function indexMessages(db: Kysely<Tables>, time = sliceTime): Promise<boolean> {
  if (!(await hasQueued(db))) return false
  return db.transaction().execute(async (trx) => {
    const until = performance.now() + time
    for (;;) {
      const queued = await listQueued(trx, batchSize)
      if (queued.length === 0) return false
      for (const piece of queued) {
        await indexPiece(trx, piece)
        if (performance.now() >= until) return true
      }
    }
  })
}

async function indexPiece(trx: Db, queued: QueuedPiece): Promise<void> {
  const { position, chunk, text, user_id } = queued
  if (text === null || user_id === null) return deleteQueued(trx, position)
  const characters = Array.from(text)
  const last = characters.length <= pieceLength || chunk + 1 >= mostPieces
  const grams = cutGrams(foldCase(characters.slice(0, pieceLength).join('')))
  const user = queued.user ?? (await numberUser(trx, user_id))
  await insertPiece(trx, { user, position, piece: chunk }, grams)
  return last ? deleteQueued(trx, position) : moveQueued(trx, position, chunk + 1)
}
