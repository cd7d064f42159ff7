import { findWords, foldText, type Place } from './fold-text.ts'

const characters = new Intl.Segmenter()

/**
 * Returns about `maxChars` characters of a text, as users count them, on one line and with `…` where it was cut: around
 * the first place where most of the words are together. Without any of the words it is the beginning. `words` are those
 * of `foldWords`. Meant for texts of a few thousand characters.
 */
export function excerptOf(text: string, words: readonly string[], maxChars: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  // No character is shorter than a code unit, so most texts need no segmenting.
  if (line.length <= maxChars) return line
  const parts = Array.from(characters.segment(line))
  const surplus = parts.length - maxChars
  if (surplus <= 0) return line
  const before = Math.floor(maxChars / 3)
  const { start } = densestPlace(line, words, maxChars - before)
  const at = parts.findIndex(({ index, segment }) => index + segment.length > start)
  let from = Math.max(0, Math.min(at - before, surplus))
  // Begins with a whole word, where words are separated.
  if (from > 0) {
    const space = parts.slice(from - 1, at).findIndex(({ segment }) => segment === ' ')
    if (space !== -1) from += space
  }
  const shown = parts.slice(from, from + maxChars)
  const body = shown.map(({ segment }) => segment).join('')
  return `${from > 0 ? '…' : ''}${body.trim()}${from + maxChars < parts.length ? '…' : ''}`
}

/** The first place from which `span` UTF-16 units have as many different words as anywhere. */
function densestPlace(line: string, words: readonly string[], span: number): Place {
  const places = findWords(line, words).map((place) => ({
    ...place,
    word: foldText(line.slice(place.start, place.end)),
  }))
  /** How often each word is in the places from the current one to that before `next`. */
  const counts = new Map<string, number>()
  let best: Place = { start: 0, end: 0 }
  let most = 0
  let next = 0
  for (const place of places) {
    for (let last = places[next]; last !== undefined; last = places[++next]) {
      if (last !== place && last.end > place.start + span) break
      counts.set(last.word, (counts.get(last.word) ?? 0) + 1)
    }
    if (counts.size > most) {
      best = place
      most = counts.size
    }
    const left = (counts.get(place.word) ?? 0) - 1
    if (left > 0) counts.set(place.word, left)
    else counts.delete(place.word)
  }
  return best
}
