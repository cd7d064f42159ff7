import type { Kysely } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { splitGrams, foldCase } from './words.ts'
import {
  deleteQueued,
  hasQueued,
  insertChunk,
  listQueued,
  moveQueued,
  assignUserNumber,
} from './sqlite-index-store.ts'
import type { QueuedChunk } from './sqlite-index-store.ts'
import { maxChunks, chunkLength } from './sqlite-search-store.ts'

/** Milliseconds for which one slice of indexing may block all other requests. */
const maxSliceMs = 3
/** Chunks that are read at once: about as many as a slice can index when messages are short. */
const batchSize = 10

/**
 * Indexes queued messages for a few milliseconds in one transaction. Returns true when more are queued. Only for
 * SQLite: PostgreSQL updates its index itself.
 */
export async function indexMessages(db: Kysely<Tables>, sliceMs = maxSliceMs): Promise<boolean> {
  if (!(await hasQueued(db))) return false
  return db.transaction().execute(async (trx) => {
    const deadline = performance.now() + sliceMs
    for (;;) {
      const queued = await listQueued(trx, batchSize)
      if (queued.length === 0) return false
      for (const chunk of queued) {
        await indexChunk(trx, chunk)
        if (performance.now() >= deadline) return true
      }
    }
  })
}

async function indexChunk(trx: Db, queued: QueuedChunk): Promise<void> {
  const { position, chunk, text, user_id } = queued
  if (text === null || user_id === null) return deleteQueued(trx, position)
  const characters = Array.from(text)
  const last = characters.length <= chunkLength || chunk + 1 >= maxChunks
  const grams = splitGrams(foldCase(characters.slice(0, chunkLength).join('')))
  const user = queued.user ?? (await assignUserNumber(trx, user_id))
  await insertChunk(trx, { user, position, chunk }, grams)
  return last ? deleteQueued(trx, position) : moveQueued(trx, position, chunk + 1)
}
