import type { Actor } from '../../access/access.ts'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { linkSignal, unlessAborted } from '../../lib/abort.ts'
import { AppError } from '../../lib/app-error.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { findConnectorById } from '../connector-store.ts'
import { connectionKey } from '../mcp/connection-pool.ts'
import { resolveTool, type ResolvedTool, type ToolTarget } from './resolve-tool.ts'

/** Whether the stored definition of a tool is the one that its server has now. */
export type DefinitionCheck =
  | { readonly kind: 'fresh'; /** Whether the list was read for this check. */ readonly isReadAgain: boolean }
  /** `reason` is a sentence for the user. */
  | { readonly kind: 'unread'; readonly reason: string }

export interface CheckDefinitionOptions {
  /** How old the list of tools may be, in milliseconds. By default `maxDefinitionAgeMs`. */
  readonly maxAgeMs?: number
  /** How long to wait for a newer one, in milliseconds. By default `maxDefinitionWaitMs`. */
  readonly timeoutMs?: number
  /** Aborting it ends the wait. */
  readonly signal: AbortSignal
}

const fresh: DefinitionCheck = { kind: 'fresh', isReadAgain: false }
const readAnew: DefinitionCheck = { kind: 'fresh', isReadAgain: true }

/**
 * Makes sure that the stored list of a connector's tools is not older than some seconds, before a tool of it is called
 * that a user has approved or allowed earlier: its server may have changed the tool since. Reads the list again if
 * needed, in one request for all calls that wait for it. The request may go on after the wait has ended; a failure is
 * stored in the connector's row, as of every such request. Never rejects because of the connector.
 */
export async function checkDefinition(
  deps: ConnectorDeps,
  user: Actor,
  { connectorId }: Pick<ToolTarget, 'connectorId'>,
  { maxAgeMs, timeoutMs, signal }: CheckDefinitionOptions,
): Promise<DefinitionCheck> {
  const { limits } = deps.settings
  const connector = await findConnectorById(deps.database.db, user, connectorId)
  // Without a connector or its connection nothing is called, and `resolveTool` says why.
  if (connector === undefined || connector.status === 'disconnected') return fresh
  // The list of a server in this process changes only with the process.
  if (deps.builtIns.isInProcess(connector)) return fresh
  const startedAt = deps.now()
  const since = startedAt - (maxAgeMs ?? limits.maxDefinitionAgeMs)
  if (isRead(deps, connector, since)) return fresh
  const linked = linkSignal(signal, timeoutMs ?? limits.maxDefinitionWaitMs)
  try {
    return await unlessAborted(readAgain(deps, user, connector, { startedAt, since }), linked.signal, () => ({
      kind: 'unread',
      reason: linked.timedOut
        ? `${connector.name} did not answer in time whether the tool has changed.`
        : 'The check whether the tool has changed was stopped.',
    }))
  } finally {
    linked.release()
  }
}

/** Whether the stored list was requested since then, and its server has announced no other one after that. */
function isRead(deps: ConnectorDeps, connector: ConnectorRow, since: number): boolean {
  const { tools_read_at: readAt } = connector
  // A time in the future was stored before the clock was set back, and says nothing.
  if (readAt < since || readAt > deps.now()) return false
  return readAt > (deps.shared.announcedAt.get(connectionKey(connector)) ?? 0)
}

async function readAgain(
  deps: ConnectorDeps,
  user: Actor,
  connector: ConnectorRow,
  { startedAt, since }: { readonly startedAt: number; readonly since: number },
): Promise<DefinitionCheck> {
  // Loads the MCP client.
  const { findRefresh, refreshTools } = await import('./refresh-tools.ts')
  const findNow = () => findConnectorById(deps.database.db, user, connector.id)
  // It may have requested the list long before this check, so its list counts by its age.
  const running = findRefresh(deps, connector)?.catch(() => undefined)
  if (running !== undefined) {
    await running
    const current = await findNow()
    if (current !== undefined && isRead(deps, current, since)) return readAnew
  }
  try {
    await refreshTools(deps, connector)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { kind: 'unread', reason: `It is not known whether the tool has changed. ${error.message}` }
  }
  // A server that announces a change with every list has still sent this one.
  const readAt = (await findNow())?.tools_read_at ?? 0
  if (readAt >= startedAt) return readAnew
  return { kind: 'unread', reason: `${connector.name} was changed while its tools were read.` }
}

/**
 * As `resolveTool`, for a call that is about to run. If only an earlier decision of the user allows it, its definition
 * is checked first (`checkDefinition`), and a list that cannot be read in time asks.
 */
export async function resolveForCall(
  deps: ConnectorDeps,
  user: Actor,
  target: ToolTarget,
  signal: AbortSignal,
): Promise<ResolvedTool> {
  const before = await resolveTool(deps, user, target)
  if (!runsByDecision(before)) return before
  const checked = await checkDefinition(deps, user, target, { signal })
  if (checked.kind === 'fresh' && !checked.isReadAgain) return before
  const resolved = await resolveTool(deps, user, target)
  if (checked.kind === 'fresh' || resolved.kind !== 'callable' || !runsByDecision(resolved)) return resolved
  return { ...resolved, decision: { kind: 'ask' } }
}

/** Whether a call runs because the user has allowed its tool, in the version that is stored. */
function runsByDecision(resolved: ResolvedTool): boolean {
  if (resolved.kind !== 'callable') return false
  const { decision } = resolved
  return decision.kind === 'run' && decision.by !== 'no_list'
}
