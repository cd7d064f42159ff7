import { hashJson } from '../../lib/canonical-json.ts'

type JsonObject = Readonly<Record<string, unknown>>

/** A server's description of a tool: everything that a user relies on when allowing the tool. */
export interface ToolDefinition {
  readonly name: string
  readonly title: string | null
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject | null
  readonly annotations: JsonObject | null
}

/** Returns a hash of the whole definition and the connector's address. */
export function fingerprintTool(tool: ToolDefinition, url: string): string {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool
  return hashJson([name, title, description, inputSchema, outputSchema, annotations, url])
}

/** Parses a stored definition. It was checked before it was stored. */
export function parseDefinition(stored: string): ToolDefinition {
  return JSON.parse(stored) as ToolDefinition
}
