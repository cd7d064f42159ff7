import { foldText, foldWords } from '@yonder/contract/lib/fold-text'

/** Words that a search uses at most: the longest ones. */
const maxWords = 12

/** Returns the distinct words of a search, folded; longest first, because long words are found fastest. */
export function splitWords(search: string): string[] {
  return [...foldWords(search)].sort((a, b) => b.length - a.length).slice(0, maxWords)
}

/** Returns how many of the words a text contains. */
export function countWords(text: string, words: readonly string[]): number {
  return words.length - withoutFound(words, text).length
}

/** Returns the words that a text does not contain. */
export function withoutFound(words: readonly string[], text: string): readonly string[] {
  const folded = foldText(text)
  return words.filter((word) => !folded.includes(word))
}

/** Characters of a gram. Four distinguish words much better than three. */
const gramLength = 4
/** Characters of a searched word, from its start, that the index compares. The rest is compared in the message. */
export const maxIndexedChars = 32

/**
 * Returns the distinct grams of a folded text for the index of SQLite, separated by spaces: every four consecutive
 * characters of a word, and its last one, two and three characters, so that a search for fewer than four characters can
 * match the start of a gram.
 */
export function splitGrams(text: string): string {
  const grams = new Set<string>()
  for (const word of new Set(text.split(/\s+/u))) {
    const characters = Array.from(word)
    for (let at = 0; at < characters.length; at++) grams.add(characters.slice(at, at + gramLength).join(''))
  }
  return [...grams].join(' ')
}

/** The grams of a searched word; one shorter gram, which is matched as a prefix, for a short word. */
function searchedGrams(word: string): readonly string[] {
  const characters = Array.from(word).slice(0, maxIndexedChars)
  const last = Math.max(characters.length - gramLength, 0)
  const grams = new Set<string>()
  for (let at = 0; at <= last; at++) grams.add(characters.slice(at, at + gramLength).join(''))
  return [...grams]
}

const isPrefix = (gram: string): boolean => Array.from(gram).length < gramLength

/**
 * Returns the index query of SQLite for the messages that may contain a word. Grams are quoted, so that none of their
 * characters is an operator.
 */
export function matchExpression(word: string): string {
  return searchedGrams(word)
    .map((gram) => `"${gram.replaceAll('"', '""')}"${isPrefix(gram) ? ' *' : ''}`)
    .join(' AND ')
}

/** Returns the same for PostgreSQL, where each gram in the index begins with its owner. */
export function tsqueryOf(word: string, owner: string): string {
  return searchedGrams(word)
    .map((gram) => `'${owner}${gram.replace(/['\\]/g, '$&$&')}'${isPrefix(gram) ? ':*' : ''}`)
    .join(' & ')
}

/** Returns whether every message that the index returns for a word contains the word. */
export function isExact(word: string): boolean {
  return Array.from(word).length <= gramLength
}
