import { createHash } from 'node:crypto'

/** The names that every provider accepts. Gemini requires a letter or underscore first, and at most 63 characters. */
const allowed = /^[a-zA-Z_][a-zA-Z0-9_-]{0,62}$/
const hashChars = 8
const maxChars = 63

export interface ToolToName {
  readonly connectorId: string
  /** The prefix of the names of this connector's tools. */
  readonly slug: string
  readonly tool: string
}

/**
 * Names the tools for a model: unique, and in characters that every provider accepts. A name that is not
 * allowed, or that two tools would share, ends in a hash of connector and tool. Never parse a name: look it up in the
 * map.
 */
export function nameTools<Tool extends ToolToName>(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const plain = tools.map((tool) => `${tool.slug}__${tool.tool}`)
  const counts = new Map<string, number>()
  for (const name of plain) counts.set(name.toLowerCase(), (counts.get(name.toLowerCase()) ?? 0) + 1)
  const named = new Map<string, Tool>()
  for (const [index, tool] of tools.entries()) {
    const name = plain[index] ?? ''
    const isUsable = allowed.test(name) && counts.get(name.toLowerCase()) === 1
    named.set(isUsable ? name : hashedName(name, tool), tool)
  }
  return named
}

function hashedName(name: string, { connectorId, tool }: ToolToName): string {
  const hash = createHash('sha256').update(`${connectorId}\0${tool}`).digest('hex').slice(0, hashChars)
  const safe = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, maxChars - hashChars - 1)
  return `${/^[a-zA-Z_]/.test(safe) ? safe : `_${safe.slice(1)}`}_${hash}`
}
