import type { Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { mostCounted } from './chat-finder.ts'
import type { FindRequest, FoundChats } from './chat-finder.ts'
import { listChatsWithWord, listChatsWithWords } from './postgres-search-store.ts'

/** Messages that hold a word, beyond which it counts as common. */
const mostHits = 2_000

/**
 * Finds the chats in which every word stands. The index lists the messages of a rare word; of common words alone chats are
 * walked, newest first, until page and count are full, since an index would list most of the table.
 */
export async function findInPostgres(db: Kysely<Tables>, request: FindRequest): Promise<FoundChats> {
  const { userId, words, offset, limit } = request
  const wanted = Math.max(mostCounted, offset + limit)
  let among: readonly string[] | undefined
  for (const word of words) {
    // A trigram index knows nothing of shorter words.
    if (Array.from(word).length < 3) continue
    const hits = await listChatsWithWord(db, userId, word, mostHits + 1)
    if (hits.length > mostHits) continue
    const chats = new Set(hits)
    if (among === undefined || chats.size < among.length) among = [...chats]
  }
  const ids = await listChatsWithWords(db, userId, { words, wanted, among })
  return { ids: ids.slice(offset, offset + limit), total: Math.min(ids.length, mostCounted) }
}
