export interface MarkedTextProps {
  readonly text: string
  /** Each of its words is marked wherever it occurs. */
  readonly search: string
}

/** A text in which the words of a search are marked. */
export function MarkedText({ text, search }: MarkedTextProps) {
  const words = search.split(/\s+/).filter(Boolean)
  if (words.length === 0) return text
  const pattern = new RegExp(`(${words.map(escapePattern).join('|')})`, 'giu')
  let offset = 0
  return text.split(pattern).map((piece, at) => {
    const key = offset
    offset += piece.length
    // The capture makes every second piece a match.
    return at % 2 === 1 ? <mark key={key}>{piece}</mark> : piece
  })
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}
