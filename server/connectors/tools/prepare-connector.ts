import { ownerOf } from '../../access/access.ts'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { linkSignal, onAbort } from '../../lib/abort.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { findConnectorById } from '../connector-store.ts'
import { connectionKey } from '../mcp/connection-pool.ts'
import { explainFailure } from '../mcp/explain-failure.ts'
import { reportUsable, type OnStatus } from './connection-round.ts'
import { readBlockedTools } from './permission-store.ts'
import { refreshTools } from './refresh-tools.ts'
import { listToolVersions, type ToolVersion } from './tool-store.ts'

/** A connector whose tools are offered. */
export interface PreparedConnector extends StoredConnector {
  /** Whether it responded in time or needed no refresh, and its calls do not fail. */
  readonly works: boolean
}

export interface PrepareOptions {
  readonly needsRefresh: boolean
  readonly signal: AbortSignal
  readonly onStatus: OnStatus
}

/**
 * Prepares a connector before a reply: refreshes its list if that is needed, waits for it at most `maxToolListWaitMs`,
 * and reports the outcome, also one that comes later. Returns undefined when its list cannot be used. Never rejects.
 */
export async function prepareConnector(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  { needsRefresh, signal, onStatus }: PrepareOptions,
): Promise<PreparedConnector | undefined> {
  const { name: server } = connector
  const reportFailure = (error: unknown): void =>
    onStatus({ status: 'error', server, message: explainFailure(error).message })
  const reportLate = async (): Promise<void> => {
    const late = await readStored(deps, connector, onStatus)
    if (late !== undefined) reportUsable(late.connector, late.toolCount, onStatus)
  }
  const startedAt = performance.now()
  const rememberUnanswered = (): void => {
    if (performance.now() - startedAt >= deps.settings.limits.maxToolListWaitMs / 3)
      deps.shared.unanswered.set(connectionKey(connector), true)
  }
  const refreshed = needsRefresh ? refreshTools(deps, connector) : Promise.resolve()
  // Prevents an unhandled rejection when it fails after the wait has ended; the failure is stored in the connector's
  // row.
  refreshed.catch(() => undefined)
  let responded: boolean
  try {
    responded = await endsInTime(refreshed, deps.settings.limits.maxToolListWaitMs, signal)
  } catch (error) {
    rememberUnanswered()
    reportFailure(error)
    return undefined
  }
  if (!responded && !signal.aborted) rememberUnanswered()
  const stored = await readStored(deps, connector, onStatus)
  if (stored !== undefined) {
    const { connector: current, tools, toolCount } = stored
    if (responded) {
      reportUsable(current, toolCount, onStatus)
      if (current.notice !== null) onStatus({ status: 'info', server, message: current.notice })
    } else {
      const used = tools.length === 0 ? 'it has no stored tools yet' : 'its stored tools are used'
      onStatus({ status: 'info', server, message: `${server} is slow to respond; ${used}.` })
    }
  }
  // Not earlier, so that the outcome is reported after the message that the connector is slow.
  if (!responded) refreshed.then(reportLate, reportFailure)
  return stored && { ...stored, works: responded && stored.connector.call_error === null }
}

interface StoredConnector {
  readonly connector: ConnectorRow
  readonly tools: readonly ToolVersion[]
  /** Of the tools that are offered: neither blocked nor unusable. */
  readonly toolCount: number
}

async function readStored(
  { database: { db }, settings: { ceilings }, onError }: ConnectorDeps,
  row: ConnectorRow,
  onStatus: OnStatus,
): Promise<StoredConnector | undefined> {
  try {
    const connector = await findConnectorById(db, ownerOf(row), row.id)
    if (connector === undefined) return undefined
    const tools = await listToolVersions(db, [row.id])
    const isBlocked = await readBlockedTools(db, ownerOf(row), ceilings)
    const offered = tools.filter(({ name, problem }) => problem === null && !isBlocked(connector, name))
    return { connector, tools, toolCount: offered.length }
  } catch (error) {
    onError(error)
    const message = 'Its stored tools could not be read. Try again.'
    onStatus({ status: 'error', server: row.name, message })
    return undefined
  }
}

/** Returns false when the time has passed, or `signal` aborts, before the work ends. Rejects when the work does. */
async function endsInTime(work: Promise<void>, milliseconds: number, signal: AbortSignal): Promise<boolean> {
  const linked = linkSignal(signal, milliseconds)
  const passed = new Promise<false>((resolve) => {
    onAbort(linked.signal, () => resolve(false))
  })
  return Promise.race([passed, work.then(() => true)]).finally(() => linked.release())
}
