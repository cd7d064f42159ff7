import type { SplitText, Definition } from './split-blocks.ts'

const footnote = /^ {0,3}\[\^[^\]\s]{1,80}\]:/m
/** A longer text is not parsed as one block. */
const maxWholeChars = 60_000

/** A finished text with footnotes is one block, since its notes belong together at the end. */
export function joinFootnotes(text: string, split: SplitText): SplitText {
  if (!footnote.test(text) || text.length > maxWholeChars) return split
  return { blocks: [{ kind: 'text', key: -1, source: text }], definitions: [] }
}

/** Further definitions are ignored: each is searched for in every block. */
const maxDefinitions = 200

/** Returns the definitions that a block may refer to, as markdown to append to it: blocks are parsed one by one. */
export function listDefinitions(source: string, definitions: readonly Definition[]): string {
  if (definitions.length === 0 || !source.includes('[')) return ''
  const folded = source.toLowerCase().replaceAll(/\s+/g, ' ')
  const used = definitions.slice(0, maxDefinitions).filter(({ label }) => folded.includes(`[${label}]`))
  return used.length === 0 ? '' : `\n\n${used.map((definition) => definition.source).join('\n')}`
}
