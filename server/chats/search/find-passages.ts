import { maxPassages, partChars, partStep, type FoundPassage } from './chat-finder.ts'
import type { SearchReader } from './sqlite-search-store.ts'
import { countWords } from './words.ts'

/** Characters that are read for one page, as many as one chat may have. Chats after that have no passage. */
const maxReadChars = 20_000_000

/** Finds the passage of each of these chats, which contain every word. */
export function findPassages(
  reader: SearchReader,
  chatIds: readonly string[],
  words: readonly string[],
): ReadonlyMap<string, FoundPassage> {
  const passages = new Map<string, FoundPassage>()
  let chars = 0
  for (const id of chatIds) {
    let best: { readonly position: number; readonly content: string } | undefined
    let most = 1
    let count = 0
    for (const message of reader.iterateMessages(id)) {
      chars += message.content.length
      if (chars > maxReadChars) break
      const found = countWords(message.content, words)
      if (found < most) continue
      if (best === undefined || found > most) {
        best = message
        most = found
        count = 0
      }
      count++
      if (most === words.length && count === maxPassages) break
    }
    if (best !== undefined)
      passages.set(id, { position: best.position, count, part: findPart(best.content, words) })
  }
  return passages
}

/** Returns the first part of a text with the most of the words. */
function findPart(text: string, words: readonly string[]): string {
  let best = ''
  let most = 0
  for (let start = 0; start < text.length && most < words.length; start += partStep) {
    const part = text.slice(start, start + partChars)
    const found = countWords(part, words)
    if (found <= most) continue
    best = part
    most = found
  }
  return withoutHalves(best)
}

/** Removes the half of a surrogate pair at an end of the text. */
function withoutHalves(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '')
}
