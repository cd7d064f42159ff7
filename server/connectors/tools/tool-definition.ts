import { hashJson } from '../../lib/canonical-json.ts'

type JsonObject = Readonly<Record<string, unknown>>

/** What a server says about a tool: everything that a user relies on when allowing it. */
export interface ToolDefinition {
  readonly name: string
  readonly title: string | null
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject | null
  readonly annotations: JsonObject | null
}

/** Changes with every part of the definition, and with the address of the connector. */
export function fingerprintTool(tool: ToolDefinition, url: string): string {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool
  return hashJson([name, title, description, inputSchema, outputSchema, annotations, url])
}

/** A definition as it was stored. */
export function parseDefinition(stored: string): ToolDefinition {
  return JSON.parse(stored) as ToolDefinition
}
