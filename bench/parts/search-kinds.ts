import type { Kysely } from 'kysely'
import type { Tables } from '../../server/db/tables/tables.ts'
import { createRandom, hanWordOf, wordOf } from './fill-chats.ts'

/** A kind of search, with a new term at each call. */
export interface SearchKind {
  readonly name: string
  readonly words: () => string
}

/** Messages from which phrases are taken. */
const phraseSources = 60
const phraseWords = 5
const maxPhraseChars = 100

/** The kinds of searches in the chats of `fillChats`, of which the first `count` messages exist. */
export async function createSearchKinds(db: Kysely<Tables>, count: number): Promise<readonly SearchKind[]> {
  const random = createRandom(7)
  const pick = (from: number, to: number): number => from + Math.floor(random() * (to - from))
  const positions = Array.from({ length: phraseSources }, () => pick(1, count))
  const texts = await db.selectFrom('messages').select('content').where('position', 'in', positions).execute()
  const pickPhrase = (): string => {
    const words = texts[pick(0, texts.length)]?.content.split(' ') ?? []
    const start = pick(0, Math.max(words.length - phraseWords, 1))
    return words
      .slice(start, start + phraseWords)
      .join(' ')
      .slice(0, maxPhraseChars)
  }
  return [
    { name: 'rare word', words: () => wordOf(pick(20_000, 29_000)) },
    { name: 'word in one of 500 messages', words: () => wordOf(pick(2_000, 3_000)) },
    { name: 'word in one of 50 messages', words: () => wordOf(pick(150, 350)) },
    { name: 'common word', words: () => wordOf(pick(0, 10)) },
    { name: 'part of words', words: () => wordOf(pick(0, 3_000)).slice(1, 5) },
    { name: 'two letters', words: () => wordOf(pick(0, 16)).slice(0, 2) },
    { name: 'two letters of no word', words: () => 'qx' },
    { name: 'Chinese word', words: () => hanWordOf(pick(0, 5_000)) },
    { name: 'absent word', words: () => `${wordOf(pick(0, 9_000))}zzz` },
    {
      name: 'two words: a common one and one in one of 150 messages',
      words: () => `${wordOf(pick(0, 10))} ${wordOf(pick(500, 1_000))}`,
    },
    {
      name: 'two words, each in one of 50 messages',
      words: () => `${wordOf(pick(150, 350))} ${wordOf(pick(150, 350))}`,
    },
    { name: 'five words that follow each other', words: pickPhrase },
  ]
}
