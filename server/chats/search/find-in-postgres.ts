import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables/tables.ts'
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
  const common: string[] = []
  let among: ReadonlySet<string> | undefined
  for (const word of words) {
    // A trigram index knows nothing of shorter words.
    const hits =
      Array.from(word).length < 3 ? undefined : await listChatsWithWord(db, userId, word, mostHits + 1)
    if (hits === undefined || hits.length > mostHits) common.push(word)
    else among = new Set(hits.filter((id) => among === undefined || among.has(id)))
    if (among?.size === 0) return { ids: [], total: 0 }
  }
  const ids = await listChatsWithWords(db, userId, {
    words: common,
    wanted,
    among: among === undefined ? undefined : [...among],
  })
  return { ids: ids.slice(offset, offset + limit), total: Math.min(ids.length, mostCounted) }
}
