/**
 * A sentence of ours that may end with the words of a server between quotation marks, which such words never contain.
 * They keep their own direction, so that they cannot reorder the sentence (§18.41).
 */
export function QuotedText({ children }: { readonly children: string }) {
  const [before, words, after] = split(children)
  return (
    <>
      {before}
      {words !== '' && <bdi>{words}</bdi>}
      {after}
    </>
  )
}

function split(text: string): readonly [before: string, words: string, after: string] {
  const start = text.indexOf('“')
  const end = text.lastIndexOf('”')
  if (start < 0 || end < start) return [text, '', '']
  return [text.slice(0, start), text.slice(start, end + 1), text.slice(end + 1)]
}
