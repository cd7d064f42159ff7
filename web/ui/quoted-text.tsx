/**
 * A sentence of the product that may quote a server between “ and ”. The quoted words themselves never contain these
 * marks. They have a text direction of their own, so that they cannot reorder the sentence.
 */
export function QuotedText({ children }: { readonly children: string }) {
  const [before, quotation, after] = split(children)
  return (
    <>
      {before}
      {quotation !== '' && <bdi>{quotation}</bdi>}
      {after}
    </>
  )
}

function split(text: string): readonly [before: string, quotation: string, after: string] {
  const start = text.indexOf('“')
  const end = text.lastIndexOf('”')
  if (start < 0 || end < start) return [text, '', '']
  return [text.slice(0, start), text.slice(start, end + 1), text.slice(end + 1)]
}
