export interface MarkedTextProps {
  readonly text: string
  /** Every occurrence of each of these words is marked. */
  readonly search: string
}

/** A text in which the search words are marked. */
export function MarkedText({ text, search }: MarkedTextProps) {
  const words = search.split(/\s+/).filter(Boolean)
  if (words.length === 0) return text
  const pattern = new RegExp(`(${words.map(escapePattern).join('|')})`, 'giu')
  let offset = 0
  return text.split(pattern).map((part, at) => {
    const key = offset
    offset += part.length
    // `split` with a capture group returns the matches at the odd indexes.
    return at % 2 === 1 ? <mark key={key}>{part}</mark> : part
  })
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}
