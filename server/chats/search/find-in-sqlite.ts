import { maxTotal } from './chat-finder.ts'
import type { FindRequest, FoundChats } from './chat-finder.ts'
import { matchExpression, isExact, foldCase } from './words.ts'
import type { SearchReader } from './sqlite-search-store.ts'

/** Index hits that are read for a word. When there are more, older messages are searched chat by chat. */
const maxHits = 5_000
/** Messages that are not indexed yet and that are read for a search. */
const maxQueued = 500

/** The index hits of one word. */
interface WordHits {
  readonly word: string
  /** Chats that contain it. */
  readonly chats: Set<string>
  /** Positions of messages that have the grams of the word but were not read yet, by chat. */
  readonly unread: Map<string, number[]>
  /** Messages before this position were not checked; 0 when all were. */
  readonly unknownBefore: number
}

/**
 * Finds the chats that contain every word. For a rare word the index lists all messages; for a common one, only the
 * newest. When all words are common, the user's chats are checked newest first: chats among the index hits match
 * without reading their messages, and the loop ends when there are enough chats for the page and the total.
 */
export function findInSqlite(reader: SearchReader, request: FindRequest): FoundChats {
  const user = reader.findUserNumber(request.userId)
  const wanted = Math.max(maxTotal, request.offset + request.limit)
  const queued = reader.listQueued(request.userId, maxQueued).map(({ chat_id, content }) => ({
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
    for (const { chat_id, content } of queued) if (content.includes(word)) found.chats.add(chat_id)
    return found
  })
  // The rarest word selects the chats to check; common words are found quickly in each of them.
  hits.sort((a, b) => a.unknownBefore - b.unknownBefore || countHitChats(a) - countHitChats(b))
  const [first] = hits
  const knownTotal = hits.length === 1 && first !== undefined ? first.chats.size : 0
  const chats =
    first?.unknownBefore === 0
      ? newestFirst(reader, [...first.chats, ...first.unread.keys()])
      : iterateChatIds(reader, request.userId)
  const ids: string[] = []
  let total = 0
  for (const id of chats) {
    if (!hits.every((hit) => contains(reader, hit, id))) continue
    if (total >= request.offset && ids.length < request.limit) ids.push(id)
    total++
    if (total >= wanted || (ids.length === request.limit && knownTotal >= maxTotal)) break
  }
  return { ids, total: Math.min(Math.max(total, knownTotal), maxTotal) }
}

function emptyHits(word: string): WordHits {
  return { word, chats: new Set(), unread: new Map(), unknownBefore: 0 }
}

function countHitChats({ chats, unread }: WordHits): number {
  return chats.size + unread.size
}

/** Lists the index hits of a search's only word and reads their messages, until `enough` chats contain the word. */
function readHits(reader: SearchReader, user: number, word: string, enough: number): WordHits {
  const chats = new Set<string>()
  const isCertain = isExact(word)
  let checked = 0
  for (const position of reader.iterateHits(user, matchExpression(word))) {
    if (checked >= maxHits || chats.size >= enough)
      return { ...emptyHits(word), chats, unknownBefore: position + 1 }
    checked++
    const chatId = isCertain ? reader.findChatId(position) : findChat(reader, position, word, chats)
    if (chatId !== undefined) chats.add(chatId)
  }
  return { ...emptyHits(word), chats }
}

/** Lists the index hits of one of several words. Reads no message, because the other words rule out most of them. */
function listHits(reader: SearchReader, user: number, word: string): WordHits {
  const found = emptyHits(word)
  const isCertain = isExact(word)
  let checked = 0
  for (const position of reader.iterateHits(user, matchExpression(word))) {
    if (checked >= maxHits) return { ...found, unknownBefore: position + 1 }
    checked++
    const chatId = reader.findChatId(position)
    if (chatId === undefined) continue
    if (isCertain) found.chats.add(chatId)
    else if (!found.unread.get(chatId)?.push(position)) found.unread.set(chatId, [position])
  }
  return found
}

/** Returns the chat of a message if the message contains the word. */
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

function* iterateChatIds(reader: SearchReader, userId: string): Iterable<string> {
  for (const { id } of reader.iterateChats(userId)) yield id
}

function messageContains(reader: SearchReader, position: number, word: string): boolean {
  const text = reader.findText(position)
  return text !== undefined && foldCase(text.content).includes(word)
}

function newestFirst(reader: SearchReader, chats: readonly string[]): string[] {
  return [...new Set(chats)]
    .map((id) => ({ id, time: reader.findUpdateTime(id) }))
    .sort((a, b) => b.time - a.time || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id)
}

function contains(
  reader: SearchReader,
  { word, chats, unread, unknownBefore }: WordHits,
  chatId: string,
): boolean {
  if (chats.has(chatId)) return true
  if (unread.get(chatId)?.some((position) => messageContains(reader, position, word))) return true
  if (unknownBefore === 0) return false
  const first = reader.findFirstPosition(chatId)
  if (first === undefined || first >= unknownBefore) return false
  for (const text of reader.iterateTexts(chatId, unknownBefore))
    if (foldCase(text).includes(word)) return true
  return false
}
