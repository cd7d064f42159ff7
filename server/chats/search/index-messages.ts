import { foldText } from '@yonder/contract/lib/fold-text'
import type { Kysely } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { deleteMessage } from '../message-store.ts'
import {
  assignUserNumber,
  chunkStep,
  deleteChunk,
  deleteQueued,
  findOldestMessage,
  hasQueued,
  type IndexedMessage,
  insertChunk,
  listQueued,
  mergeIndex,
  moveQueued,
  type QueuedChunk,
  readChunkText,
} from './sqlite-index-store.ts'
import { chunkLength, maxChunks } from './sqlite-search-store.ts'
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
        if (performance.now() < deadline) continue
        await mergeIndex(trx)
        return true
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

/**
 * Removes the oldest message of a chat from the index, and deletes it. The last chunks are removed first: when `isOver`
 * returns true, the message stays, queued as one of which only the first chunks are indexed. Returns false when the chat
 * has no message. Only for SQLite. The index stores no grams, so that they are computed again.
 */
export async function deleteIndexedMessage(trx: Db, chatId: string, isOver: () => boolean): Promise<boolean> {
  const isDeleted = await deleteOldest(trx, chatId, isOver)
  if (isOver()) await mergeIndex(trx)
  return isDeleted
}

async function deleteOldest(trx: Db, chatId: string, isOver: () => boolean): Promise<boolean> {
  const message = await findOldestMessage(trx, chatId)
  if (message === undefined) return false
  const { position, user } = message
  let chunks = countIndexedChunks(message)
  while (chunks > 0) {
    chunks -= 1
    const { grams } = readChunk(Array.from(await readChunkText(trx, position, chunks)), chunks)
    await deleteChunk(trx, { user: user ?? 0, position, chunk: chunks }, grams)
    if (!isOver()) continue
    await moveQueued(trx, position, chunks)
    return true
  }
  await deleteQueued(trx, position)
  await deleteMessage(trx, position)
  return true
}

/** As `readChunk` divides a text. Of a user without a number, nothing is indexed. */
function countIndexedChunks({ user, next_chunk, is_searchable, length }: IndexedMessage): number {
  if (user === null || is_searchable === 0) return 0
  if (next_chunk !== null) return next_chunk
  return Math.min(1 + Math.ceil(Math.max(length - chunkLength, 0) / chunkStep), maxChunks)
}
