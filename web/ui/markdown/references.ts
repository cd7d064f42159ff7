import type { CutText, Definition } from './cut-blocks.ts'

const footnote = /^ {0,3}\[\^[^\]\s]{1,80}\]:/m
/** Characters up to which a text is read in one piece. */
const wholeLimit = 60_000

/** A finished text with footnotes is one block, since its notes belong together at the end. */
export function joinFootnotes(text: string, cut: CutText): CutText {
  if (!footnote.test(text) || text.length > wholeLimit) return cut
  return { blocks: [{ kind: 'text', key: -1, source: text }], definitions: [] }
}

/** Definitions beyond this number are not followed: each costs a look into every block. */
const definitionLimit = 200

/** The definitions that a block may refer to, as markdown to put behind it; blocks are read one by one. */
export function listDefinitions(source: string, definitions: readonly Definition[]): string {
  if (definitions.length === 0 || !source.includes('[')) return ''
  const folded = source.toLowerCase().replaceAll(/\s+/g, ' ')
  const used = definitions.slice(0, definitionLimit).filter(({ label }) => folded.includes(`[${label}]`))
  return used.length === 0 ? '' : `\n\n${used.map((definition) => definition.source).join('\n')}`
}
