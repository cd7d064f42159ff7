import { isTooExpensive } from './block-limits.ts'
import type { SplitText, Definition } from './split-blocks.ts'

const footnote = /^ {0,3}\[\^[^\]\s]{1,80}\]:/m

/**
 * Joins a finished text with footnotes into one block, since the notes must be listed together at the end. A text that
 * is too expensive to parse as one block stays split.
 */
export function joinFootnotes(text: string, split: SplitText): SplitText {
  if (!footnote.test(text) || isTooExpensive(text)) return split
  return { blocks: [{ kind: 'text', key: -1, source: text }], definitions: [] }
}

/** The limit on link definitions, since every block is searched for each of them. Further ones are ignored. */
const maxDefinitions = 200

/**
 * Returns the link definitions that a block may use, as markdown to append to the block, which is parsed on its own.
 */
export function listDefinitions(source: string, definitions: readonly Definition[]): string {
  if (definitions.length === 0 || !source.includes('[')) return ''
  const folded = source.toLowerCase().replaceAll(/\s+/g, ' ')
  const used = definitions.slice(0, maxDefinitions).filter(({ label }) => folded.includes(`[${label}]`))
  return used.length === 0 ? '' : `\n\n${used.map((definition) => definition.source).join('\n')}`
}
