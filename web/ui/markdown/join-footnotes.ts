import type { CutText } from './cut-blocks.ts'

const footnote = /^ {0,3}\[\^[^\]\s]{1,80}\]:/m
/** Characters up to which a text is read in one piece. */
const wholeLimit = 60_000

/** A finished text with footnotes is one block, since its notes belong together at the end. */
export function joinFootnotes(text: string, cut: CutText): CutText {
  if (!footnote.test(text) || text.length > wholeLimit) return cut
  return { blocks: [{ kind: 'text', key: -1, source: text }], definitions: [] }
}
