/** More words than that are not looked for. */
const mostWords = 12

/** Text in the form in which words are compared: letters of every script without their case. */
export function foldCase(text: string): string {
  // The two small sigmas are one letter.
  return text.toLowerCase().replaceAll('ς', 'σ')
}

/** The words of a search, each once, folded; the longest first, since they are found the quickest. */
export function splitWords(search: string): string[] {
  const words = new Set(
    foldCase(search)
      .split(/\s+/u)
      .filter((word) => word !== ''),
  )
  return [...words].sort((a, b) => b.length - a.length).slice(0, mostWords)
}

/** Characters of a gram: four tell words apart much better than three, at the same number of rows. */
const gramLength = 4
/** Characters of a searched word that are looked up; the rest is compared when its message is read. */
export const mostLookedUp = 32

/**
 * What the index of SQLite holds of a folded text: every four characters in a row within a word, and the shorter ends of
 * words, so that any part of a word begins a gram. Each once, with blanks between.
 */
export function cutGrams(text: string): string {
  const grams = new Set<string>()
  for (const word of new Set(text.split(/\s+/u))) {
    const characters = Array.from(word)
    for (let at = 0; at < characters.length; at++) grams.add(characters.slice(at, at + gramLength).join(''))
  }
  return [...grams].join(' ')
}

/**
 * The question to the index for the messages that may hold a word. Quoted, so that no character in it means anything.
 */
export function askForWord(word: string): string {
  const characters = Array.from(word).slice(0, mostLookedUp)
  if (characters.length < gramLength) return `${quote(characters.join(''))} *`
  const last = characters.length - gramLength
  const grams = new Set<string>()
  for (let at = 0; at <= last; at++) grams.add(characters.slice(at, at + gramLength).join(''))
  return [...grams].map(quote).join(' AND ')
}

/** Whether every message that the index gives for a word does hold it. */
export function isExact(word: string): boolean {
  return Array.from(word).length <= gramLength
}

function quote(gram: string): string {
  return `"${gram.replaceAll('"', '""')}"`
}
