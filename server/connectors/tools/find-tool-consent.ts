import type { ConnectorRow, ConnectorToolRow } from '../../db/tables/connector-tables.ts'
import { findConnector } from '../connector-store.ts'
import type { Owner } from '../connector-store.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { decideConsent } from './decide-consent.ts'
import type { ConsentDecision } from './decide-consent.ts'
import { findAllowedTool, findTool } from './tool-store.ts'

export interface ToolConsent {
  readonly connector: ConnectorRow
  readonly tool: ConnectorToolRow
  readonly decision: ConsentDecision
}

/**
 * What a call of this tool would do now, or nothing when there is no such connector or tool, or it waits for an
 * integration: then it runs into a result that says so (§4.18).
 */
export async function findToolConsent(
  { database: { db }, builtIns }: Pick<ConnectorDeps, 'database' | 'builtIns'>,
  user: Owner,
  connectorName: string,
  toolName: string,
): Promise<ToolConsent | undefined> {
  const connector = await findConnector(db, user, connectorName)
  if (connector === undefined) return undefined
  const tool = await findTool(db, connector, toolName)
  if (tool === undefined || (await builtIns.isWaiting(connector))) return undefined
  const allowed = await findAllowedTool(db, connector, toolName)
  return { connector, tool, decision: decideConsent(connector, tool, allowed) }
}
