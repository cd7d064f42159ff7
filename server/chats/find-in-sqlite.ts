import type { FindRequest, FoundChats } from './chat-finder.ts'
import { mostCounted } from './chat-finder.ts'
import { pieceOverlap } from './search-store.ts'
import type { SearchReader } from './search-store.ts'
import { foldCase } from './split-words.ts'

/** Messages with a word's trigrams that are looked at before its chats are walked instead. */
const mostHits = 5_000
/** Messages that are not indexed yet and are looked at one by one. */
const mostWaiting = 500
/** A word of one or two characters stands for all trigrams that begin with it, when they are no more than that. */
const mostTerms = 64

/** What the index says of one word. */
interface WordHits {
  readonly word: string
  /** Chats in which it certainly stands. */
  readonly chats: Set<string>
  /** Messages before this position were not looked at; 0 when all were. */
  readonly unknownBefore: number
}

/**
 * Finds the chats in which every word stands. A rare word's messages are all listed by the index. Of a common one the
 * index gives the newest, and chats are walked newest first: what the index has covered needs no reading, and the walk
 * ends when the page and the count are full.
 */
export function findInSqlite(reader: SearchReader, request: FindRequest): FoundChats {
  const user = reader.findUserNumber(request.userId)
  const wanted = Math.max(mostCounted, request.offset + request.limit)
  const waiting = reader.listWaiting(request.userId, mostWaiting).map(({ chat_id, content }) => ({
    chat_id,
    content: foldCase(content),
  }))
  const hits = request.words.map((word) => {
    const found = user === undefined ? emptyHits(word) : readHits(reader, user, word, wanted)
    for (const { chat_id, content } of waiting) if (content.includes(word)) found.chats.add(chat_id)
    return found
  })
  const complete = hits.filter((hit) => hit.unknownBefore === 0)
  const [rarest] = complete.sort((a, b) => a.chats.size - b.chats.size)
  const single = hits.length === 1 && hits[0] !== undefined ? hits[0].chats.size : 0
  const chats = rarest === undefined ? walkAll(reader, request.userId) : newestFirst(reader, rarest.chats)
  const ids: string[] = []
  let total = 0
  for (const id of chats) {
    if (!hits.every((hit) => holds(reader, hit, id))) continue
    if (total >= request.offset && ids.length < request.limit) ids.push(id)
    total++
    if (total >= wanted || (ids.length === request.limit && single >= mostCounted)) break
  }
  return { ids, total: Math.min(Math.max(total, single), mostCounted) }
}

function emptyHits(word: string): WordHits {
  return { word, chats: new Set(), unknownBefore: 0 }
}

function readHits(reader: SearchReader, user: number, word: string, wanted: number): WordHits {
  const expression = toExpression(reader, word)
  if (expression === undefined) return { word, chats: new Set(), unknownBefore: Number.MAX_SAFE_INTEGER }
  if (expression === '') return emptyHits(word)
  const chats = new Set<string>()
  let looked = 0
  for (const position of reader.iterateHits(user, expression)) {
    if (looked >= mostHits || chats.size >= wanted) return { word, chats, unknownBefore: position + 1 }
    looked++
    const text = reader.findText(position)
    if (text !== undefined && !chats.has(text.chat_id) && foldCase(text.content).includes(word)) {
      chats.add(text.chat_id)
    }
  }
  return { word, chats, unknownBefore: 0 }
}

/** The index's question for a word: all its trigrams. Quoted, so that no character in it means anything. */
function toExpression(reader: SearchReader, word: string): string | undefined {
  const characters = Array.from(word).slice(0, pieceOverlap / 2)
  if (characters.length >= 3) {
    const trigrams = new Set(
      characters.slice(2).map((last, at) => `${characters[at]}${characters[at + 1]}${last}`),
    )
    return [...trigrams].map(quote).join(' AND ')
  }
  const terms = reader.listTerms(word, mostTerms + 1)
  return terms.length > mostTerms ? undefined : terms.map(quote).join(' OR ')
}

function quote(trigram: string): string {
  return `"${trigram.replaceAll('"', '""')}"`
}

function* walkAll(reader: SearchReader, userId: string): Iterable<string> {
  for (const { id } of reader.iterateChats(userId)) yield id
}

function newestFirst(reader: SearchReader, chats: ReadonlySet<string>): string[] {
  return [...chats]
    .map((id) => ({ id, time: reader.findUpdateTime(id) }))
    .sort((a, b) => b.time - a.time || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id)
}

function holds(reader: SearchReader, { word, chats, unknownBefore }: WordHits, chatId: string): boolean {
  if (chats.has(chatId)) return true
  if (unknownBefore === 0) return false
  const first = reader.findFirstPosition(chatId)
  if (first === undefined || first >= unknownBefore) return false
  for (const text of reader.iterateTexts(chatId, unknownBefore))
    if (foldCase(text).includes(word)) return true
  return false
}
