import type { Db } from '../../db/database.ts'
import type { ConnectorRow, ConnectorToolRow } from '../../db/tables/connector-tables.ts'
import { hashJson } from '../../lib/canonical-json.ts'
import type { JsonObject } from '../../lib/json-object.ts'

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

/** Returns the tools of these connectors, in the order of their servers' lists. */
export function listTools(db: Db, connectorIds: readonly string[]): Promise<ConnectorToolRow[]> {
  if (connectorIds.length === 0) return Promise.resolve([])
  return db
    .selectFrom('connector_tools')
    .selectAll()
    .where('connector_id', 'in', connectorIds)
    .orderBy('position')
    .execute()
}

export function findTool(
  db: Db,
  connector: Pick<ConnectorRow, 'id'>,
  name: string,
): Promise<ConnectorToolRow | undefined> {
  return db
    .selectFrom('connector_tools')
    .selectAll()
    .where('connector_id', '=', connector.id)
    .where('name', '=', name)
    .executeTakeFirst()
}

/** Replaces a connector's tools, in the caller's transaction. */
export async function replaceTools(
  trx: Db,
  connector: Pick<ConnectorRow, 'id'>,
  tools: readonly ConnectorToolRow[],
): Promise<void> {
  await trx.deleteFrom('connector_tools').where('connector_id', '=', connector.id).execute()
  if (tools.length > 0) await trx.insertInto('connector_tools').values(tools).execute()
}
