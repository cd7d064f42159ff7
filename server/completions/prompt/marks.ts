import { createHash } from 'node:crypto'

/**
 * Returns a mark that `text` does not contain, so that nothing in the text can imitate its boundary. The same seed and
 * text have the same mark, so that the provider's prompt cache still matches.
 */
export function createMark(seed: string, text: string): string {
  for (let attempt = 0; ; attempt++) {
    const hash = createHash('sha256').update(attempt === 0 ? seed : `${seed} ${attempt}`)
    const mark = hash.digest('base64url').slice(0, 8)
    if (!text.includes(mark)) return mark
  }
}

/** Puts a text that is data between two lines with a mark. `seed` is the id of what the text belongs to. */
export function putBetweenMarks(seed: string, text: string): string {
  const mark = createMark(seed, text)
  return `[${mark}]\n${text}\n[${mark}]`
}

/** A text that is data, and what it is or whose. */
export interface Entry {
  readonly heading: string
  readonly text: string
}

/**
 * Writes texts one after the other. Each begins with a line with a mark that none of them contains, so that a text, such
 * as a tool's result, cannot pretend to be another one.
 */
export function writeEntries(seed: string, entries: readonly Entry[]) {
  const mark = createMark(seed, entries.map(({ text }) => text).join('\n'))
  const written = entries.map(({ heading, text }) => `[${mark}] ${heading}\n${text}\n\n`)
  return { mark, text: `${written.join('')}[${mark}] End` }
}
