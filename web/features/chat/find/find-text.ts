import { foldText, foldWords } from '@yonder/contract/lib/fold-text'

/** Between texts that are drawn in different blocks, so that no match reaches from one to the other. */
export const blockBreak = '\0'

const accents = /[\u0300-\u036f]/g
const isAscii = (text: string) => !/[^\0-\u007f]/.test(text)

/**
 * Returns a text in the form in which a search compares it: without case and accents, in any Unicode form, and with one
 * space for any white space.
 */
export function foldForFind(text: string): string {
  const folded = isAscii(text) ? text.toLowerCase() : foldText(text).normalize('NFD').replace(accents, '')
  return folded.replace(/\s+/g, ' ')
}

/** Folded texts, of which any is a match. Empty when nothing is searched for. */
export type Patterns = readonly string[]

export const patternsOfQuery = (query: string): Patterns => (query.trim() === '' ? [] : [foldForFind(query)])
export const patternsOfWords = (search: string): Patterns => foldWords(search).map(foldForFind)

/** The matches in a folded text as [start, end], in order and without overlaps; of two at one place the longer. */
export function findFolded(folded: string, patterns: Patterns): readonly (readonly [number, number])[] {
  const found: [number, number][] = []
  const next = patterns.map((pattern) => folded.indexOf(pattern))
  for (let at = 0; ;) {
    let [start, end] = [Infinity, 0]
    for (const [index, pattern] of patterns.entries()) {
      let place = next[index] ?? -1
      if (place >= 0 && place < at) place = next[index] = folded.indexOf(pattern, at)
      if (place < 0) continue
      if (place < start || (place === start && place + pattern.length > end))
        [start, end] = [place, place + pattern.length]
    }
    if (start === Infinity) return found
    found.push([start, end])
    at = end
  }
}

/** The matches in a text as it is, as `findFolded` finds them in its folded form. */
export function findInText(text: string, patterns: Patterns): readonly (readonly [number, number])[] {
  let folded = ''
  /** For each unit of `folded`: where the character begins from which it comes. */
  const origins: number[] = []
  let index = 0
  for (const character of text) {
    const part = foldForFind(character)
    const isRepeated = part === ' ' && folded.endsWith(' ')
    if (!isRepeated) {
      folded += part
      for (let unit = 0; unit < part.length; unit++) origins.push(index)
    }
    index += character.length
  }
  return findFolded(folded, patterns).map(([start, end]) => {
    // What was folded away after a character, such as an accent, belongs to it.
    let after = end
    while (after < origins.length && origins[after] === origins[end - 1]) after += 1
    return [origins[start] ?? 0, origins[after] ?? text.length]
  })
}

/** The letters and digits of a text. */
const bare = (folded: string) => folded.replace(/[^\p{L}\p{N}]+/gu, '')

/**
 * Whether a text whose marks of markdown are not removed may contain a match. It is far cheaper than removing them.
 * `bareSource` is the result of `barelyFold`.
 */
export function mayContain(bareSource: string, patterns: Patterns): boolean {
  return patterns.some((pattern) => bareSource.includes(bare(pattern)))
}

export const barelyFold = (source: string): string => bare(foldForFind(source))
