/**
 * Returns a text in the form in which texts are compared, whichever Unicode form they were typed in: composed and
 * decomposed accents, full-width and half-width, ligatures and presentation forms are the same (NFKC), and so are upper
 * and lower case in every script. Invisible characters are removed, as in NFKC_Casefold of Unicode.
 * `foldSql` of the server does the same in PostgreSQL.
 */
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  const folded = text.normalize('NFKC').toLowerCase().replace(invisible, '')
  // `ẞ` is `ß` in lower case, and Greek writes sigma as ς at the end of a word. With the two forms of the Turkish i, a
  // word is found in capitals too: its capitals are those of other languages.
  return folded.replaceAll('i\u0307', 'i').replaceAll('ß', 'ss').replaceAll('ς', 'σ').replaceAll('ı', 'i')
}

const invisible = /\p{Default_Ignorable_Code_Point}/gu

// oxlint-disable-next-line no-control-regex
const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)

/** Returns the distinct words of a search, folded. */
export function foldWords(search: string): readonly string[] {
  return [
    ...new Set(
      foldText(search)
        .split(/\s+/u)
        .filter((word) => word !== ''),
    ),
  ]
}

/** A search for texts that contain every word of it, each anywhere. */
export function matchesSearch(search: string): (text: string) => boolean {
  const words = foldWords(search)
  return (text) => {
    const folded = foldText(text)
    return words.every((word) => folded.includes(word))
  }
}

export interface Place {
  readonly start: number
  readonly end: number
}

const characters = new Intl.Segmenter()

/** Returns where a text contains any of the words, as whole characters, in order and without overlaps. */
export function findWords(text: string, words: readonly string[]): readonly Place[] {
  const { folded, originOf } = foldWithOrigins(text)
  const places: Place[] = []
  for (let at = 0; at < folded.length;) {
    const word = words
      .filter((one) => folded.startsWith(one, at))
      .reduce((a, b) => (b.length > a.length ? b : a), '')
    const [first, last] = [originOf(at), originOf(at + word.length - 1)]
    if (word === '' || first === undefined || last === undefined) {
      at += 1
      continue
    }
    const before = places.at(-1)
    places.push({ start: Math.max(first.start, before?.end ?? 0), end: last.end })
    at += word.length
  }
  return places.filter(({ start, end }) => end > start)
}

/** The text folded, and from which character each UTF-16 unit of it comes. */
function foldWithOrigins(text: string): {
  readonly folded: string
  readonly originOf: (at: number) => Place | undefined
} {
  if (isAscii(text)) return { folded: text.toLowerCase(), originOf: (at) => ({ start: at, end: at + 1 }) }
  let folded = ''
  const origins: Place[] = []
  for (const { segment, index } of characters.segment(text)) {
    const origin = { start: index, end: index + segment.length }
    const part = foldText(segment)
    folded += part
    for (let at = 0; at < part.length; at++) origins.push(origin)
  }
  return { folded, originOf: (at) => origins[at] }
}
