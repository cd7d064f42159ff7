import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables/tables.ts'
import { maxTotal } from './chat-finder.ts'
import type { FindRequest, FoundChats } from './chat-finder.ts'
import { listChats, prepareSearch, sampleChats } from './postgres-search-store.ts'
import type { ListChatsQuery, ListedChats } from './postgres-search-store.ts'

/** A word that more than this share of the chats contains is looked up in the texts of the chats, not in the index. */
const maxIndexedShare = 0.4
/** Words that are looked up in the index. Few chats have both, so the other words are found faster in their texts. */
const maxIndexedWords = 2
/** Messages that the index may find for a word. When there are more, the chats are searched one by one. */
const maxHits = 20_000
/** Messages that are read to show that the total reaches its maximum, and the estimated number of them for each chat. */
const maxCountedHits = 5_000
const hitsPerChat = 1.5
/** Chats that are read to find a page when the total is known. */
const maxPageChats = 600

/**
 * Finds the chats that contain every word. When many of the newest chats contain all words, the chats are read newest
 * first until there are enough for the page and the total. Otherwise the index finds the messages with the rarest words.
 */
export function findInPostgres(db: Kysely<Tables>, request: FindRequest): Promise<FoundChats> {
  const { userId, offset, limit } = request
  return db.transaction().execute(async (trx) => {
    const backlog = await prepareSearch(trx)
    const shares = await sampleChats(trx, userId, request.words)
    const words = request.words
      .map((word, index) => ({ word, share: shares.words[index] ?? 0 }))
      .toSorted((a, b) => a.share - b.share)
    const list = (
      indexed: number,
      limits: Pick<ListChatsQuery, 'wanted' | 'maxHits'>,
    ): Promise<ListedChats> => {
      const [indexedWords, others] = [words.slice(0, indexed), words.slice(indexed)].map((part) =>
        part.map(({ word }) => word),
      )
      const query = { userId, backlog, offset, limit, ...limits }
      return listChats(trx, { ...query, indexed: indexedWords ?? [], words: others ?? [] })
    }
    const wanted = Math.max(maxTotal, offset + limit)

    if (shares.all < maxIndexedShare) {
      // Common words: some of the hits show that the total reaches its maximum, and the page is among the newest chats.
      const countedHits = Math.ceil((hitsPerChat * maxTotal * (words[0]?.share ?? 0)) / shares.all)
      if (countedHits <= maxCountedHits && offset + limit <= maxPageChats * shares.all) {
        const some = await list(1, { wanted, maxHits: countedHits })
        if (some.isComplete) return some
        if (some.total >= maxTotal) {
          const page = await list(0, { wanted: offset + limit, maxHits })
          return { ids: page.ids, total: maxTotal }
        }
      }
      const rare = words.filter(({ share }, index) => index === 0 || share < maxIndexedShare)
      const found = await list(Math.min(rare.length, maxIndexedWords), { wanted, maxHits })
      if (found.isComplete) return { ids: found.ids, total: Math.min(found.total, maxTotal) }
    }
    const { ids, total } = await list(0, { wanted, maxHits })
    return { ids, total: Math.min(total, maxTotal) }
  })
}
