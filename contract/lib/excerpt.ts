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
  const places = findWords(line, words)
  let best: Place = { start: 0, end: 0 }
  let most = 0
  for (const [index, place] of places.entries()) {
    const found = new Set<string>()
    for (let at = index; at < places.length; at++) {
      const { start, end } = places[at] ?? place
      if (start > place.start && end > place.start + span) break
      found.add(foldText(line.slice(start, end)))
    }
    if (found.size <= most) continue
    best = place
    most = found.size
    if (most === words.length) break
  }
  return best
}
