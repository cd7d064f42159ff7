import type { Definition } from './cut-blocks.ts'

/** Definitions beyond this number are not followed: each costs a look into every block. */
const definitionLimit = 200

/** The definitions that a block may refer to, as markdown to put behind it; blocks are read one by one. */
export function listDefinitions(source: string, definitions: readonly Definition[]): string {
  if (definitions.length === 0 || !source.includes('[')) return ''
  const folded = source.toLowerCase().replaceAll(/\s+/g, ' ')
  const used = definitions.slice(0, definitionLimit).filter(({ label }) => folded.includes(`[${label}]`))
  return used.length === 0 ? '' : `\n\n${used.map((definition) => definition.source).join('\n')}`
}
