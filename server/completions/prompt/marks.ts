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
