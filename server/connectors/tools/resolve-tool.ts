import { parseJsonExactly } from '@yonder/contract/lib/exact-json'
import type { GrantLimits, ToolChange, ToolEffect } from '@yonder/contract/tool-call'
import type { Actor } from '../../access/access.ts'
import type { ConnectorRow, ConnectorToolRow, ToolPermissionRow } from '../../db/tables/connector-tables.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import { explainMissingIntegration } from '../built-in/built-in-connectors.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { credentialIdOf, findConnectorById } from '../connector-store.ts'
import type { CallTarget } from './adapt-tools.ts'
import { findGrantDefinition, listGrants } from './grant-store.ts'
import { findMatching, hasEnded, presentLimits, type ToolUse } from './match-grants.ts'
import type { OperatorCeilings, OperatorRule } from './operator-ceilings.ts'
import { findPermission } from './permission-store.ts'
import { findTool, parseDefinition, type ToolDefinition } from './tool-store.ts'

export interface ToolTarget extends CallTarget {
  readonly readBotConnectors?: ReadBotConnectors | undefined
  /** The call, which grants with limits are compared with. Without it, none applies. */
  readonly use?: ToolUse | undefined
}

/** Returns the ids of the connectors that the bot of a run may use now; null means all. */
export type ReadBotConnectors = () => Promise<readonly string[] | null>

/** A stored tool, and whether a call of it needs approval now. */
export interface KnownTool {
  readonly connector: ConnectorRow
  readonly tool: ConnectorToolRow
  readonly decision: ApprovalDecision
  /** What its server says that the tool does. */
  readonly effect: ToolEffect | undefined
  /** Identifies the connector, its address and the credential of a call, see `credentialIdOf`. */
  readonly credential: string
  /** The operator lets the tool ask at every call, so it can only be allowed once. */
  readonly alwaysAsks: boolean
}

export type ResolvedTool =
  | ({ readonly kind: 'callable' } & KnownTool)
  /** The tool is stored but cannot be called now. `decision` says what would apply if it could. */
  | ({ readonly kind: 'unusable'; readonly reason: string; readonly isBlocked: boolean } & KnownTool)
  /**
   * There is no such connector or tool, the bot may not use the connector, or the user has to connect its integration
   * first.
   */
  | { readonly kind: 'missing'; readonly reason: string; readonly needsIntegration: boolean }

type Deps = Pick<ConnectorDeps, 'database' | 'builtIns' | 'settings' | 'now'>

/** Looks up the tool that a call names and decides whether the call needs approval. */
export async function resolveTool(
  deps: Deps,
  user: Actor,
  { connectorName, toolName, connectorId, readBotConnectors, use }: ToolTarget,
): Promise<ResolvedTool> {
  const {
    database: { db },
    builtIns,
    settings: { ceilings },
  } = deps
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
  const rule = ceilings.ruleOf(connector, toolName)
  const listed = decideApproval(connector, tool, permission, {
    rule,
    maxGrantMs: ceilings.maxGrantMs,
    now: deps.now(),
  })
  const known = {
    connector,
    tool,
    decision:
      listed.kind === 'run' || rule !== undefined
        ? listed
        : await decideByGrants(deps, user, { connector, tool, use, otherwise: listed }),
    effect: readEffect(parseDefinition(tool.definition)),
    credential: credentialIdOf(connector),
    alwaysAsks: rule === 'asks',
  }
  const blocker =
    rule === 'blocked'
      ? 'The operator of this server'
      : permission?.permission === 'block'
        ? 'The user'
        : undefined
  const isBlocked = blocker !== undefined
  const reason =
    (isBlocked
      ? `${blocker} has blocked the tool "${toolName}" of ${connector.name}, so it was not called.`
      : undefined) ??
    disconnected ??
    (tool.problem === null ? undefined : `The tool "${toolName}" cannot be used: ${tool.problem}.`)
  return reason === undefined
    ? { kind: 'callable', ...known }
    : { kind: 'unusable', reason, isBlocked, ...known }
}

/** Reads what the annotations of a tool say that it does. A tool that only reads destroys nothing. */
export function readEffect({ annotations }: Pick<ToolDefinition, 'annotations'>): ToolEffect | undefined {
  if (annotations?.['readOnlyHint'] === true) return 'read'
  if (annotations?.['destructiveHint'] === true) return 'destructive'
  return annotations?.['readOnlyHint'] === false || annotations?.['destructiveHint'] === false
    ? 'write'
    : undefined
}

function missing(reason: string) {
  return { kind: 'missing', reason, needsIntegration: false } as const
}

/** The grant that allows a call. */
export interface GrantUse {
  readonly id: string
  readonly limits: GrantLimits
}

export type ApprovalDecision =
  | { readonly kind: 'run'; readonly by: 'no_list' | 'listed' }
  | { readonly kind: 'run'; readonly by: 'granted'; readonly grant: GrantUse }
  | { readonly kind: 'ask' }
  | { readonly kind: 'ask_changed'; readonly changes: readonly ToolChange[] }

type Tool = Pick<ConnectorToolRow, 'fingerprint' | 'definition'>
type Decided = Pick<ToolPermissionRow, 'permission' | 'fingerprint' | 'definition' | 'created_at'>

/** What limits an allowance besides its own limits. */
export interface AllowanceCeiling {
  readonly rule: OperatorRule | undefined
  readonly maxGrantMs: OperatorCeilings['maxGrantMs']
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * Decides on the server, before a call, whether it needs approval. Without a list of allowed tools every
 * call runs; a tool on the list runs as long as it is the one that was allowed; every other call needs approval. A tool
 * that the operator lets ask always needs it.
 */
export function decideApproval(
  connector: Pick<ConnectorRow, 'asks'>,
  tool: Tool,
  decided: Decided | undefined,
  ceiling: AllowanceCeiling,
): ApprovalDecision {
  const kind = decideKind(
    connector,
    tool,
    decided && { ...decided, fingerprint: decided.definition === null ? null : decided.fingerprint },
    ceiling,
  )
  if (kind === 'run') return { kind, by: connector.asks === 0 ? 'no_list' : 'listed' }
  return kind === 'ask' ? { kind } : { kind, changes: listChanges(decided?.definition ?? '{}', tool) }
}

/**
 * As `decideApproval`, without the definitions. `fingerprint` is null for a tool that was allowed by name. Grants with
 * limits do not count: they allow some calls of a tool, and a list shows what happens with the others.
 */
export function decideKind(
  { asks }: Pick<ConnectorRow, 'asks'>,
  tool: Pick<Tool, 'fingerprint'>,
  decided: Pick<Decided, 'permission' | 'fingerprint' | 'created_at'> | undefined,
  { rule, maxGrantMs, now }: AllowanceCeiling,
): ApprovalDecision['kind'] {
  if (rule !== undefined) return 'ask'
  if (asks === 0) return 'run'
  // Allowed by name, and the server has not listed a usable tool of this name since.
  if (decided?.permission !== 'allow' || decided.fingerprint === null) return 'ask'
  if (hasEnded({ ...decided, ends_at: null }, maxGrantMs, now)) return 'ask'
  return decided.fingerprint === tool.fingerprint ? 'run' : 'ask_changed'
}

interface GrantQuestion {
  readonly connector: ConnectorRow
  readonly tool: ConnectorToolRow
  readonly use: ToolUse | undefined
  /** What applies when no grant allows the call. */
  readonly otherwise: ApprovalDecision
}

/**
 * Decides by the grants with limits. A tool whose grants are all for an earlier version needs approval because it has
 * changed.
 */
async function decideByGrants(
  { database: { db }, settings, now }: Deps,
  user: Actor,
  { connector, tool, use, otherwise }: GrantQuestion,
): Promise<ApprovalDecision> {
  const { maxGrantMs } = settings.ceilings
  const grants = (await listGrants(db, user, connector, { name: tool.name })).filter(
    (grant) => !hasEnded(grant, maxGrantMs, now()),
  )
  const valid = grants.filter(({ fingerprint }) => fingerprint === tool.fingerprint)
  const grant = use && findMatching(valid, use)
  if (grant !== undefined) {
    return { kind: 'run', by: 'granted', grant: { id: grant.id, limits: presentLimits(grant, maxGrantMs) } }
  }
  const [newest] = grants
  if (otherwise.kind === 'ask_changed' || valid.length > 0 || newest === undefined) return otherwise
  const allowed = await findGrantDefinition(db, user, newest.id)
  return allowed === undefined ? otherwise : { kind: 'ask_changed', changes: listChanges(allowed, tool) }
}

/** Lists how a tool differs from the definition that was allowed. */
export function listChanges(allowed: string, tool: Pick<Tool, 'definition'>): ToolChange[] {
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
