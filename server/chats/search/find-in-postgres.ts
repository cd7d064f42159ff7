import type { Db } from '../../db/database.ts'
import { maxTotal, type FindRequest, type FoundChats, type FoundPage } from './chat-finder.ts'
import { listChats, listPassages, prepareSearch, sampleChats } from './postgres-search-store.ts'

/** Messages that the index may find for a word. When there are more, the chats are read one by one. */
const maxHits = 20_000
/**
 * When every chat has a word, reading its messages in the index takes as long as reading the texts of this many chats.
 * Measured with 45,000 chats of a user; with fewer, both ways are fast.
 */
const indexCostInChats = 22_500

/** Finds the chats that contain every word, and their passages. `trx` is a transaction. */
export async function findInPostgres(trx: Db, request: FindRequest): Promise<FoundPage> {
  await prepareSearch(trx)
  const found = await findChats(trx, request)
  return { ...found, passages: await listPassages(trx, found.ids, request.words) }
}

/**
 * When many chats have all words, the chats are read newest first until there
 * are enough for the page and the total. Otherwise the index finds the messages with the rarest word, and the other
 * words are looked up in their chats.
 */
async function findChats(trx: Db, request: FindRequest): Promise<FoundChats> {
  const { userId, offset, limit } = request
  const wanted = Math.max(maxTotal, offset + limit)
  const shares = await sampleChats(trx, userId, request.words)
  const [rarest, ...others] = request.words
    .map((word, index) => ({ word, share: shares.words[index] ?? 0 }))
    .toSorted((a, b) => a.share - b.share)
  if (rarest === undefined) throw new Error('a search has no words')

  const query = { userId, offset, limit, wanted, maxHits }
  // A hundred sampled chats may lack a combination that the shares of its words make likely.
  const likely = others.reduce((product, { share }) => product * share, rarest.share)
  const chatsToRead = wanted / Math.max(shares.all, likely)
  if (chatsToRead > indexCostInChats * rarest.share) {
    const words = others.map(({ word }) => word)
    const found = await listChats(trx, { ...query, indexed: rarest.word, words })
    if (found.isComplete) return { ids: found.ids, total: Math.min(found.total, maxTotal) }
  }
  const { ids, total } = await listChats(trx, { ...query, indexed: null, words: request.words })
  return { ids, total: Math.min(total, maxTotal) }
}
