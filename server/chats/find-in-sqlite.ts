import { mostCounted } from './chat-finder.ts'
import type { FindRequest, FoundChats } from './chat-finder.ts'
import { askForWord, isExact } from './cut-grams.ts'
import type { SearchReader } from './search-store.ts'
import { foldCase } from './split-words.ts'

/** Messages with a word's grams that are looked at before its chats are walked instead. */
const mostHits = 5_000
/** Messages that are not indexed yet and are looked at one by one. */
const mostWaiting = 500

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
    // Of several words the rarest decides, and should be known to its end.
    const enough = request.words.length === 1 ? wanted : Infinity
    const found = user === undefined ? emptyHits(word) : readHits(reader, user, word, enough)
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

function readHits(reader: SearchReader, user: number, word: string, enough: number): WordHits {
  const chats = new Set<string>()
  const certain = isExact(word)
  let looked = 0
  for (const position of reader.iterateHits(user, askForWord(word))) {
    if (looked >= mostHits || chats.size >= enough) return { word, chats, unknownBefore: position + 1 }
    looked++
    const chatId = certain ? reader.findChatId(position) : findChat(reader, position, word, chats)
    if (chatId !== undefined) chats.add(chatId)
  }
  return { word, chats, unknownBefore: 0 }
}

/** The chat of a message that may hold a word, when it does. */
function findChat(
  reader: SearchReader,
  position: number,
  word: string,
  known: ReadonlySet<string>,
): string | undefined {
  const text = reader.findText(position)
  if (text === undefined || known.has(text.chat_id)) return undefined
  return foldCase(text.content).includes(word) ? text.chat_id : undefined
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
