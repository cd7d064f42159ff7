import { mostCounted } from './chat-finder.ts'
import type { FindRequest, FoundChats } from './chat-finder.ts'
import { askForWord, isExact } from './words.ts'
import type { SearchReader } from './sqlite-search-store.ts'
import { foldCase } from './words.ts'

/** Messages with a word's grams that are looked at before its chats are walked instead. */
const mostHits = 5_000
/** Messages that are not indexed yet and are looked at one by one. */
const mostWaiting = 500

/** What the index says of one word. */
interface WordHits {
  readonly word: string
  /** Chats in which it certainly stands. */
  readonly chats: Set<string>
  /** Chats with messages that have its grams and were not read yet. */
  readonly maybe: Map<string, number[]>
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
    const found =
      user === undefined
        ? emptyHits(word)
        : request.words.length === 1
          ? readHits(reader, user, word, wanted)
          : listHits(reader, user, word)
    for (const { chat_id, content } of waiting) if (content.includes(word)) found.chats.add(chat_id)
    return found
  })
  // Of several words the rarest decides; a common one, asked of the chats that are left, is soon found in each.
  hits.sort((a, b) => a.unknownBefore - b.unknownBefore || countChats(a) - countChats(b))
  const [first] = hits
  const single = hits.length === 1 && first !== undefined ? first.chats.size : 0
  const chats =
    first?.unknownBefore === 0
      ? newestFirst(reader, [...first.chats, ...first.maybe.keys()])
      : walkAll(reader, request.userId)
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
  return { word, chats: new Set(), maybe: new Map(), unknownBefore: 0 }
}

function countChats({ chats, maybe }: WordHits): number {
  return chats.size + maybe.size
}

/** Reads messages until `enough` chats are found. */
function readHits(reader: SearchReader, user: number, word: string, enough: number): WordHits {
  const chats = new Set<string>()
  const certain = isExact(word)
  let looked = 0
  for (const position of reader.iterateHits(user, askForWord(word))) {
    if (looked >= mostHits || chats.size >= enough)
      return { ...emptyHits(word), chats, unknownBefore: position + 1 }
    looked++
    const chatId = certain ? reader.findChatId(position) : findChat(reader, position, word, chats)
    if (chatId !== undefined) chats.add(chatId)
  }
  return { ...emptyHits(word), chats }
}

/** Lists what the index gives of one of several words; of most of these messages the other words spare the reading. */
function listHits(reader: SearchReader, user: number, word: string): WordHits {
  const found = emptyHits(word)
  const certain = isExact(word)
  let looked = 0
  for (const position of reader.iterateHits(user, askForWord(word))) {
    if (looked >= mostHits) return { ...found, unknownBefore: position + 1 }
    looked++
    const chatId = reader.findChatId(position)
    if (chatId === undefined) continue
    if (certain) found.chats.add(chatId)
    else if (!found.maybe.get(chatId)?.push(position)) found.maybe.set(chatId, [position])
  }
  return found
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

function isIn(reader: SearchReader, position: number, word: string): boolean {
  const text = reader.findText(position)
  return text !== undefined && foldCase(text.content).includes(word)
}

function newestFirst(reader: SearchReader, chats: readonly string[]): string[] {
  return [...new Set(chats)]
    .map((id) => ({ id, time: reader.findUpdateTime(id) }))
    .sort((a, b) => b.time - a.time || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id)
}

function holds(
  reader: SearchReader,
  { word, chats, maybe, unknownBefore }: WordHits,
  chatId: string,
): boolean {
  if (chats.has(chatId)) return true
  if (maybe.get(chatId)?.some((position) => isIn(reader, position, word))) return true
  if (unknownBefore === 0) return false
  const first = reader.findFirstPosition(chatId)
  if (first === undefined || first >= unknownBefore) return false
  for (const text of reader.iterateTexts(chatId, unknownBefore))
    if (foldCase(text).includes(word)) return true
  return false
}
