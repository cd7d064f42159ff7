import { foldText } from '@yonder/contract/lib/fold-text'
import { maxTotal, type FindRequest, type FoundChats } from './chat-finder.ts'
import type { SearchReader } from './sqlite-search-store.ts'
import { isExact, matchExpression, withoutFound } from './words.ts'

/** Texts that are read without the index: this many, and `extraTextsPerMatch` more for each chat that is found. */
const maxTextsWithoutMatch = 200
const extraTextsPerMatch = 6
/** Index hits of the rarest word that are read. When there are more, the chats are read one by one, newest first. */
const maxHits = 20_000
/** The `limit` of `SearchReader.listQueued`, which returns the messages that are not indexed yet. */
const maxQueued = 500
/** Index hits by which the frequency of a word is estimated. */
const sampledHits = 64
/**
 * Further words are looked up in the index too when they have at most `maxFilterHits` hits, and at most
 * `maxFilterRatio` times the hits of the rarest word.
 */
const maxFilterHits = 10_000
const maxFilterRatio = 4

/** One search in progress. */
interface State {
  readonly reader: SearchReader
  readonly userId: string
  /** Sorted when the index is used: the rarest word first. */
  words: readonly string[]
  /** Enough chats for the page and the total. */
  readonly wanted: number
  /** Chats that contain every word. */
  readonly matching: Set<string>
  /** Chats that lack at least one word, or are deleted. */
  readonly excluded: Set<string>
}

/**
 * Finds the chats that contain every word. Reads the newest chats first, which is enough when most chats contain the
 * words, or when the user has few messages. Otherwise the index lists the messages with the rarest word, newest first,
 * until there are enough chats for the page and the total.
 */
export function findInSqlite(reader: SearchReader, request: FindRequest): FoundChats {
  const { userId, words, offset, limit } = request
  const wanted = Math.max(maxTotal, offset + limit)
  const excluded = new Set(reader.listDeleted(userId))
  const state: State = { reader, userId, words, wanted, matching: new Set(), excluded }
  if (!readChats(state)) {
    const uncheckedBefore = readHits(state)
    if (uncheckedBefore > 0) return readPage(state, request, uncheckedBefore)
  }
  const ids = reader.sortChats([...state.matching], { offset, limit })
  return { ids, total: Math.min(state.matching.size, maxTotal) }
}

/** Reads the newest chats. Returns false when too few of them match, so that the index has to be used. */
function readChats({ reader, userId, words, wanted, matching, excluded }: State): boolean {
  let texts = 0
  for (const { id, title } of reader.iterateChats(userId)) {
    if (matching.size >= wanted) return true
    let missing = withoutFound(words, title)
    for (const text of missing.length === 0 ? [] : reader.iterateTexts(id)) {
      if (texts++ > maxTextsWithoutMatch + extraTextsPerMatch * matching.size) return false
      missing = withoutFound(missing, text)
      if (missing.length === 0) break
    }
    if (missing.length === 0) matching.add(id)
    else excluded.add(id)
  }
  return true
}

/** Reads the hits of the rarest word. Returns the position before which messages were not checked; 0 when all were. */
function readHits(state: State): number {
  const { reader, userId, matching, excluded, wanted } = state
  const user = reader.findUserNumber(userId)
  const queued = reader.listQueued(userId, maxQueued)
  const frequencies = user === undefined ? [] : sortByFrequency(reader, user, state.words)
  if (frequencies.length > 0) state.words = frequencies.map(({ word }) => word)
  const [word = '', ...others] = state.words
  const filters = user === undefined ? [] : readFilters(state, user, frequencies)
  for (const { chat_id } of queued) for (const filter of filters) filter.add(chat_id)
  // The filters leave few chats, whose texts are read instead of the text of every hit.
  const readsHitTexts = !isExact(word) && filters.length === 0
  const unchecked = filters.length > 0 ? state.words : others
  const check = (chatId: string): void => {
    if (matching.has(chatId) || excluded.has(chatId)) return
    const mayMatch = filters.every((filter) => filter.has(chatId))
    if (mayMatch && containsAll(reader, chatId, unchecked)) matching.add(chatId)
    else excluded.add(chatId)
  }
  for (const { chat_id, content } of queued) if (foldText(content).includes(word)) check(chat_id)
  for (const id of reader.listTitled(userId, word)) check(id)
  if (user === undefined) return 0
  let checked = 0
  for (const { position, chatId, content } of reader.iterateHits(
    user,
    matchExpression(word),
    readsHitTexts,
  )) {
    if (checked >= maxHits || matching.size >= wanted) return position + 1
    checked++
    if (!readsHitTexts || foldText(content ?? '').includes(word)) check(chatId)
  }
  return 0
}

interface Frequency {
  readonly word: string
  /** An estimate of the index hits. */
  readonly hits: number
}

/**
 * Sorts the words, the rarest first; returns an empty list for a single word. The further apart a word's newest hits
 * are, the rarer it is.
 */
function sortByFrequency(reader: SearchReader, user: number, words: readonly string[]): readonly Frequency[] {
  if (words.length === 1) return []
  return words
    .map((word) => {
      const positions = reader.listHits(user, matchExpression(word), sampledHits)
      const [newest = 0] = positions
      const distance = positions.length < sampledHits ? Infinity : newest - (positions.at(-1) ?? 0)
      return { word, hits: (sampledHits * newest) / distance }
    })
    .toSorted((a, b) => a.hits - b.hits)
}

/** The chats that may contain a word, for each further word that is about as rare as the rarest one. */
function readFilters(
  { reader, userId }: State,
  user: number,
  [rarest, ...others]: readonly Frequency[],
): readonly Set<string>[] {
  if (rarest === undefined) return []
  const maxFilter = Math.min(maxFilterHits, rarest.hits * maxFilterRatio)
  return others
    .filter(({ hits }) => hits <= maxFilter)
    .map(({ word }) => {
      const found = reader.iterateHits(user, matchExpression(word), false)
      return new Set([...Array.from(found, ({ chatId }) => chatId), ...reader.listTitled(userId, word)])
    })
}

/** Takes the page from the user's chats, newest first. Reads only chats with messages before `uncheckedBefore`. */
function readPage(state: State, { offset, limit }: FindRequest, uncheckedBefore: number): FoundChats {
  const { reader, userId, words, wanted, matching, excluded } = state
  const ids: string[] = []
  let total = 0
  for (const { id } of reader.iterateChats(userId)) {
    if (!matching.has(id)) {
      if (excluded.has(id)) continue
      const first = reader.findFirstPosition(id)
      if (first === undefined || first >= uncheckedBefore || !containsAll(reader, id, words)) continue
    }
    if (total >= offset && ids.length < limit) ids.push(id)
    total++
    if (total >= wanted || (ids.length === limit && matching.size >= maxTotal)) break
  }
  return { ids, total: Math.min(Math.max(total, matching.size), maxTotal) }
}

/**
 * Whether the title and the messages of a chat contain every word. No word has a line end, so none is found across two
 * messages.
 */
function containsAll(reader: SearchReader, chatId: string, words: readonly string[]): boolean {
  let missing = words.length === 0 ? words : withoutFound(words, reader.findTitle(chatId))
  if (missing.length === 0) return true
  for (const text of reader.iterateJoinedTexts(chatId)) {
    missing = withoutFound(missing, text)
    if (missing.length === 0) return true
  }
  return false
}
