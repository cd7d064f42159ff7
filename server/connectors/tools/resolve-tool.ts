import { parseJsonExactly } from '@yonder/contract/lib/exact-json'
import type { ToolChange } from '@yonder/contract/tool-call'
import type { Actor } from '../../access/access.ts'
import type { ConnectorRow, ConnectorToolRow, ToolPermissionRow } from '../../db/tables/connector-tables.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import { explainMissingIntegration } from '../built-in/built-in-connectors.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { credentialIdOf, findConnectorById } from '../connector-store.ts'
import type { CallTarget } from './adapt-tools.ts'
import { findPermission } from './permission-store.ts'
import { findTool, parseDefinition, type ToolDefinition } from './tool-store.ts'

export interface ToolTarget extends CallTarget {
  readonly readBotConnectors?: ReadBotConnectors | undefined
}

/** Returns the ids of the connectors that the bot of a run may use now; null means all. */
export type ReadBotConnectors = () => Promise<readonly string[] | null>

/** A stored tool, and whether a call of it needs approval now. */
export interface KnownTool {
  readonly connector: ConnectorRow
  readonly tool: ConnectorToolRow
  readonly decision: ApprovalDecision
  /** Identifies the connector, its address and the credential of a call, see `credentialIdOf`. */
  readonly credential: string
}

export type ResolvedTool =
  | ({ readonly kind: 'callable' } & KnownTool)
  /** The tool is stored but cannot be called now. `decision` says what would apply if it could. */
  | ({ readonly kind: 'unusable'; readonly reason: string } & KnownTool)
  /**
   * There is no such connector or tool, the bot may not use the connector, or the user has to connect its integration
   * first.
   */
  | { readonly kind: 'missing'; readonly reason: string; readonly needsIntegration: boolean }

/** Looks up the tool that a call names and decides whether the call needs approval. */
export async function resolveTool(
  { database: { db }, builtIns }: Pick<ConnectorDeps, 'database' | 'builtIns'>,
  user: Actor,
  { connectorName, toolName, connectorId, readBotConnectors }: ToolTarget,
): Promise<ResolvedTool> {
  const stored = await findConnectorById(db, user, connectorId)
  if (stored === undefined) {
    return missing(
      `The connector "${connectorName}" was deleted before the call, so the tool was not called.`,
    )
  }
  // Checked here, because this function runs before approval, when the call starts, and after it was queued.
  const usable = (await readBotConnectors?.()) ?? null
  if (usable?.includes(stored.id) === false) {
    return missing(`This bot may not use the connector "${stored.name}", so the tool was not called.`)
  }
  const { state, version } = await builtIns.readIntegration(stored)
  if (state === 'missing') {
    return { ...missing(explainMissingIntegration(stored.name)), needsIntegration: true }
  }
  // The call may use only the credential of this version.
  const connector = { ...stored, credential_version: version }
  const disconnected =
    connector.status === 'disconnected'
      ? `The connector "${connector.name}" is disconnected. Connect it under Settings, Connectors.`
      : undefined
  const tool = await findTool(db, connector, toolName)
  if (tool === undefined) {
    return missing(disconnected ?? `The connector "${connector.name}" has no tool named "${toolName}".`)
  }
  const permission = await findPermission(db, connector, toolName)
  const known = {
    connector,
    tool,
    decision: decideApproval(connector, tool, permission),
    credential: credentialIdOf(connector),
  }
  const reason =
    (permission?.permission === 'block'
      ? `The user has blocked the tool "${toolName}" of ${connector.name}, so it was not called.`
      : undefined) ??
    disconnected ??
    (tool.problem === null ? undefined : `The tool "${toolName}" cannot be used: ${tool.problem}.`)
  return reason === undefined ? { kind: 'callable', ...known } : { kind: 'unusable', reason, ...known }
}

function missing(reason: string) {
  return { kind: 'missing', reason, needsIntegration: false } as const
}

export type ApprovalDecision =
  | { readonly kind: 'run'; readonly by: 'no_list' | 'listed' }
  | { readonly kind: 'ask' }
  | { readonly kind: 'ask_changed'; readonly changes: readonly ToolChange[] }

type Tool = Pick<ConnectorToolRow, 'fingerprint' | 'definition'>
type Decided = Pick<ToolPermissionRow, 'permission' | 'fingerprint' | 'definition'>

/**
 * Decides on the server, before a call, whether it needs approval. Without a list of allowed tools every
 * call runs; a tool on the list runs as long as it is the one that was allowed; every other call needs approval.
 */
export function decideApproval(
  connector: Pick<ConnectorRow, 'asks'>,
  tool: Tool,
  decided: Decided | undefined,
): ApprovalDecision {
  const kind = decideKind(
    connector,
    tool,
    decided && { ...decided, fingerprint: decided.definition === null ? null : decided.fingerprint },
  )
  if (kind === 'run') return { kind, by: connector.asks === 0 ? 'no_list' : 'listed' }
  return kind === 'ask' ? { kind } : { kind, changes: listChanges(decided?.definition ?? '{}', tool) }
}

/** As `decideApproval`, without the definitions. `fingerprint` is null for a tool that was allowed by name. */
export function decideKind(
  { asks }: Pick<ConnectorRow, 'asks'>,
  tool: Pick<Tool, 'fingerprint'>,
  decided: Pick<Decided, 'permission' | 'fingerprint'> | undefined,
): ApprovalDecision['kind'] {
  if (asks === 0) return 'run'
  // Allowed by name, and the server has not listed a usable tool of this name since.
  if (decided?.permission !== 'allow' || decided.fingerprint === null) return 'ask'
  return decided.fingerprint === tool.fingerprint ? 'run' : 'ask_changed'
}

function listChanges(allowed: string, tool: Tool): ToolChange[] {
  const before = parseDefinition(allowed)
  const after = parseDefinition(tool.definition)
  const changes = [
    change('title', before.title, after.title),
    change('description', before.description, after.description),
    change('input', show(before.inputSchema), show(after.inputSchema)),
    change('output', show(before.outputSchema), show(after.outputSchema)),
    change('annotations', show(before.annotations), show(after.annotations)),
  ].flat()
  // The change is in a part that is not stored, or the connector's address has changed.
  return changes.length === 0 ? [{ what: 'other', before: null, after: null }] : changes
}

function change(what: ToolChange['what'], before: string | null, after: string | null): ToolChange[] {
  return before === after ? [] : [{ what, before, after }]
}

/** Characters of a part with indentation; a longer one is shown without. */
const maxIndentedChars = 100_000

function show(part: ToolDefinition['annotations']): string | null {
  if (part === null) return null
  const text = canonicalJson(part)
  const indented = JSON.stringify(parseJsonExactly(text), null, 2)
  return indented.length > maxIndentedChars ? text : indented
}
