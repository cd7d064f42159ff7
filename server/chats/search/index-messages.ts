import { foldText } from '@yonder/contract/lib/fold-text'
import type { Kysely } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import {
  deleteChunk,
  deleteQueued,
  deleteUserNumber,
  findUserNumber,
  hasQueued,
  insertChunk,
  listSearchable,
  listQueued,
  moveQueued,
  assignUserNumber,
  type SearchableMessage,
  type QueuedChunk,
} from './sqlite-index-store.ts'
import { chunkLength, chunkOverlap, maxChunks } from './sqlite-search-store.ts'
import { splitGrams } from './words.ts'

/** Milliseconds for which one slice of indexing may block all other requests. */
const maxSliceMs = 3
/** Chunks of one query: about as many as a slice can index when messages are short. */
const batchSize = 10

/**
 * Indexes queued messages for a few milliseconds in one transaction. Returns true when more may be queued. Only
 * for SQLite: for PostgreSQL see `fillSearchTexts`.
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
  const { grams, isLast } = readChunk(Array.from(text), chunk)
  const user = queued.user ?? (await assignUserNumber(trx, user_id))
  await insertChunk(trx, { user, position, chunk }, grams)
  return isLast ? deleteQueued(trx, position) : moveQueued(trx, position, chunk + 1)
}

/** The grams of a chunk. `characters` is the chunk, and one further character when the text continues. */
function readChunk(
  characters: readonly string[],
  chunk: number,
): { readonly grams: string; readonly isLast: boolean } {
  return {
    grams: splitGrams(foldText(characters.slice(0, chunkLength).join(''))),
    isLast: characters.length <= chunkLength || chunk + 1 >= maxChunks,
  }
}

/** Messages that are removed from the index in one transaction. */
const removalBatchSize = 50

/**
 * Removes the messages of a user from the index, before their chats are deleted. Only for SQLite. The index needs the
 * grams of a chunk to remove it and does not store them, so they are computed again.
 */
export async function removeFromIndex(db: Kysely<Tables>, userId: string): Promise<void> {
  const user = await findUserNumber(db, userId)
  let after = -1
  for (let found = removalBatchSize; found === removalBatchSize;) {
    found = await db.transaction().execute(async (trx) => {
      const messages = await listSearchable(trx, userId, after, removalBatchSize)
      for (const message of messages) {
        if (user !== undefined) await removeChunks(trx, user, message)
        await deleteQueued(trx, message.position)
        after = message.position
      }
      return messages.length
    })
    await new Promise((resolve) => setImmediate(resolve))
  }
  await deleteUserNumber(db, userId)
}

async function removeChunks(trx: Db, user: number, message: SearchableMessage): Promise<void> {
  const { position, content, next_chunk } = message
  const characters = Array.from(content)
  for (let chunk = 0; chunk < (next_chunk ?? maxChunks); chunk++) {
    const start = chunk * (chunkLength - chunkOverlap)
    const { grams, isLast } = readChunk(characters.slice(start, start + chunkLength + 1), chunk)
    await deleteChunk(trx, { user, position, chunk }, grams)
    if (isLast) return
  }
}
