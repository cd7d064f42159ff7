import type { ConnectorRow, ConnectorToolRow } from '../../db/tables/connector-tables.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { findConnector, findConnectorById } from '../connector-store.ts'
import type { Owner } from '../connector-store.ts'
import { waitsForIntegration } from '../built-in/built-in-connectors.ts'
import { decideConsent } from './decide-consent.ts'
import type { ConsentDecision } from './decide-consent.ts'
import { findAllowedTool, findTool } from './tool-store.ts'

export interface ToolTarget {
  readonly connectorName: string
  readonly toolName: string
  /** If given, only the connector with this id matches, even when another one has got its name meanwhile. */
  readonly connectorId?: string
}

/** A stored tool, and whether a call of it needs approval now. */
export interface KnownTool {
  readonly connector: ConnectorRow
  readonly tool: ConnectorToolRow
  readonly consent: ConsentDecision
}

export type ResolvedTool =
  | ({ readonly kind: 'callable' } & KnownTool)
  /** The tool is stored but cannot be called now. `consent` is decided in any case. */
  | ({ readonly kind: 'unusable'; readonly reason: string } & KnownTool)
  /** There is no such tool, or the user has to connect its integration first. */
  | { readonly kind: 'missing'; readonly reason: string; readonly needsIntegration: boolean }

/** Looks up the tool that a call names and decides whether the call needs approval (§4.18, §4.19). */
export async function resolveTool(
  { database: { db }, builtIns }: Pick<ConnectorDeps, 'database' | 'builtIns'>,
  user: Owner,
  { connectorName, toolName, connectorId }: ToolTarget,
): Promise<ResolvedTool> {
  const connector =
    connectorId === undefined
      ? await findConnector(db, user, connectorName)
      : await findConnectorById(db, user, connectorId)
  if (connector === undefined) {
    return connectorId === undefined
      ? missing(`There is no connector named "${connectorName}".`)
      : missing(
          `The connector "${connectorName}" was deleted before the call could be made. It was not made.`,
        )
  }
  if (await builtIns.isWaiting(connector)) {
    return { ...missing(waitsForIntegration(connector.name)), needsIntegration: true }
  }
  const disconnected =
    connector.status === 'disconnected' ? `The connector "${connector.name}" is disconnected.` : undefined
  const tool = await findTool(db, connector, toolName)
  if (tool === undefined) {
    return missing(disconnected ?? `The connector "${connector.name}" has no tool named "${toolName}".`)
  }
  const allowed = await findAllowedTool(db, connector, toolName)
  const known = { connector, tool, consent: decideConsent(connector, tool, allowed) }
  const reason =
    disconnected ??
    (tool.problem === null ? undefined : `The tool "${toolName}" cannot be used: ${tool.problem}.`)
  return reason === undefined ? { kind: 'callable', ...known } : { kind: 'unusable', reason, ...known }
}

function missing(reason: string) {
  return { kind: 'missing', reason, needsIntegration: false } as const
}
