import { isDeepStrictEqual } from 'node:util'
import { ProtocolError } from '@modelcontextprotocol/client'
import { ownerOf } from '../../access/access.ts'
import type { ConnectorRow, ConnectorToolRow } from '../../db/tables/connector-tables.ts'
import { withTimeout } from '../../lib/abort.ts'
import { AppError } from '../../lib/app-error.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import type { ConnectorLimits } from '../connector-limits.ts'
import { changeState } from '../connector-state.ts'
import { findConnectorById, updateConnectorState } from '../connector-store.ts'
import { connectionKey } from '../mcp/connection-pool.ts'
import { explainFailure } from '../mcp/explain-failure.ts'
import type { ServerConnection } from '../mcp/server-connection.ts'
import { useServer, type UseServerOptions } from '../mcp/use-server.ts'
import type { ToolsAnnouncement } from './announced-refreshes.ts'
import { replacePermissions } from './change-permissions.ts'
import { completeAllowed, listPermissions } from './permission-store.ts'
import { joinPages, readPage, type ToolPage, type ToolReading } from './read-tools.ts'
import {
  listToolVersions,
  parseDefinition,
  replaceTools,
  type ToolDefinition,
  type ToolVersion,
} from './tool-store.ts'

/**
 * Requests the tools from a connector's server and stores them. Concurrent calls share one request. The outcome is
 * stored in the connector's row.
 * @throws AppError with the reason
 */
export function refreshTools(deps: ConnectorDeps, connector: ConnectorRow): Promise<void> {
  return deps.shared.toolRefreshes.run(refreshKey(connector), () => refreshOnce(deps, connector))
}

/** Returns the promise of a refresh of this connector that is running. */
export function findRefresh(deps: ConnectorDeps, connector: ConnectorRow): Promise<void> | undefined {
  return deps.shared.toolRefreshes.find(refreshKey(connector))
}

function refreshKey({ id, credential_version, status }: ConnectorRow): string {
  // The status is included, so that connecting again does not share a refresh from before the disconnection.
  return `${id} ${credential_version} ${status === 'disconnected' ? 'disconnected' : 'connected'}`
}

/**
 * Refreshes the tools after an announcement. When the connection has been closed meanwhile, the list only expires and
 * is refreshed at its next use, so that a server cannot keep an idle connector busy.
 */
export async function refreshAnnounced(
  deps: ConnectorDeps,
  { connector: announced, connection }: ToolsAnnouncement,
): Promise<void> {
  const { db } = deps.database
  const connector = await findConnectorById(db, ownerOf(announced), announced.id)
  // The list is loaded before its next use anyway.
  if (connector?.credential_version !== announced.credential_version || connector.status !== 'connected')
    return
  if (!connection.usable) {
    await updateConnectorState(db, connector, { tools_expire_at: deps.now() })
    return
  }
  // A refresh that is running may have read the list before the change.
  await findRefresh(deps, connector)?.catch(() => undefined)
  // A failure is stored in the connector's row.
  await refreshTools(deps, connector).catch(() => undefined)
}

async function refreshOnce(deps: ConnectorDeps, connector: ConnectorRow): Promise<void> {
  deps.shared.backoff.throwIfPaused(connectionKey(connector))
  try {
    await fetchTools(deps, connector, { signal: deps.closing })
    deps.shared.backoff.reset(connectionKey(connector))
    deps.shared.unanswered.delete(connectionKey(connector))
    if (connector.status === 'failed' && connector.call_error === null)
      await deps.builtIns.recordFailure(connector, null)
  } catch (error) {
    const failure = explainFailure(error, connector)
    deps.shared.backoff.recordFailure(connectionKey(connector), failure)
    await changeState(deps, connector, {
      status: 'failed',
      error_message: failure.message,
    })
    if (failure.code === 'not_connected') await deps.builtIns.recordFailure(connector, failure.message)
    throw failure
  }
}

/** Requests and stores the tools, and sets the connector's status to connected. */
export async function fetchTools(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  options: UseServerOptions,
): Promise<void> {
  const rules = { ...deps.settings, now: deps.now }
  const { ceilings } = rules
  // Of the request: a definition may change while the response is on its way.
  const readAt = deps.now()
  const listed = await useServer(deps, connector, options, (connection) =>
    listServerTools(connection, connector.url, deps.settings.limits, options.signal),
  )
  const state = {
    status: 'connected',
    error_message: null,
    notice: listed.notice,
    tools_read_at: readAt,
  } as const
  const tools = toRows(connector, listed)
  const expiresAt = deps.now() + ttlMsOf(listed, deps.settings.limits)
  // Storing a large list can take 20 ms, and several lists can arrive at the same moment.
  await deps.shared.turns.next()
  // Stores nothing when the address or the credentials have changed meanwhile, or the user has disconnected.
  await changeState(deps, connector, state, async (trx) => {
    const allowsReading = connector.is_default === 1 && deps.builtIns.find(connector.url)?.allowsReading
    const stored = await listToolVersions(trx, [connector.id])
    const isFirst = allowsReading === true && stored.length === 0
    const isSame = isDeepStrictEqual(stored.map(versionOf), tools.map(versionOf))
    const current = await findConnectorById(trx, ownerOf(connector), connector.id)
    // The list is also read before calls. The tools in the form for models are cached until its expiry changes.
    if (!isSame || (current?.tools_expire_at ?? 0) <= deps.now())
      await updateConnectorState(trx, connector, { tools_expire_at: expiresAt })
    if (!isSame) await replaceTools(trx, connector, tools)
    await completeAllowed(trx, connector)
    if (!isFirst) return
    const decided = await listPermissions(trx, [connector.id])
    // The user has chosen already.
    if (decided.some(({ permission }) => permission === 'allow')) return
    const undecided = listed.tools.filter(({ name }) => decided.every((row) => row.name !== name))
    const reading = undecided.filter(
      ({ name, definition }) =>
        isReading(parseDefinition(definition)) && ceilings.ruleOf(connector, name) === undefined,
    )
    await replacePermissions(trx, connector, { allow_tools: reading.map(({ name }) => name) }, rules)
  })
}

function isReading({ annotations }: ToolDefinition): boolean {
  return annotations?.['readOnlyHint'] === true
}

function ttlMsOf({ ttlMs }: ServerTools, limits: ConnectorLimits): number {
  if (ttlMs === null) return limits.toolListTtlMs
  return Math.min(Math.max(ttlMs, limits.minToolListTtlMs), limits.maxToolListTtlMs)
}

const versionOf = ({ name, position, fingerprint, problem }: ToolVersion) => [
  name,
  position,
  fingerprint,
  problem,
]

function toRows({ id }: ConnectorRow, { tools }: ServerTools): ConnectorToolRow[] {
  return tools.map(({ name, definition, fingerprint, problem }, position) => ({
    connector_id: id,
    name,
    position,
    definition,
    fingerprint,
    problem,
  }))
}

interface ServerTools extends ToolReading {
  /** The lifetime of the list in milliseconds, or null when the server sent none. */
  readonly ttlMs: number | null
}

/**
 * Requests the pages of a server's list of tools, until the last page or until they contain more tools than are stored.
 * `url` is the connector's address, which is part of the fingerprints of its tools.
 * @throws AppError `upstream_invalid` when the server offers no tools or has too many pages
 */
export async function listServerTools(
  connection: ServerConnection,
  url: string,
  limits: ConnectorLimits,
  signal: AbortSignal,
): Promise<ServerTools> {
  connection.resetLimits(limits.maxListBytes)
  const read = withTimeout(signal, limits.listTimeoutMs, (listSignal) =>
    readPages(connection, url, limits, listSignal),
  )
  const { pages, isWhole, ttlMs } = await read.catch((error: unknown) => {
    // Some servers have tools without announcing them, so they are asked too.
    const announces = connection.client.getServerCapabilities()?.tools !== undefined
    if (announces || !(error instanceof ProtocolError)) throw error
    throw new AppError('upstream_invalid', 'The server offers no tools.', { cause: error })
  })
  return { ...joinPages(pages, limits, isWhole), ttlMs }
}

async function readPages(
  { client, responses }: ServerConnection,
  url: string,
  limits: ConnectorLimits,
  signal: AbortSignal,
) {
  const pages: ToolPage[] = []
  let cursor: string | undefined
  const seen = new Set<string | undefined>()
  let ttlMs: number | null = null
  for (let page = 0; ; page++) {
    if (page === limits.maxListPages) {
      throw new AppError(
        'upstream_invalid',
        `The server's list of tools has more than ${limits.maxListPages} pages.`,
      )
    }
    const response = await client.request(
      { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
      { timeout: limits.listPageTimeoutMs, signal },
    )
    // The SDK has read the pages of a server in this process.
    pages.push(responses.takePage() ?? readPage(response.tools, url, limits))
    const count = pages.reduce((sum, each) => sum + each.count, 0)
    ttlMs ??= readTtlMs(response)
    seen.add(cursor)
    // An empty or repeated cursor leads to no further page.
    const isWhole = !response.nextCursor || seen.has(response.nextCursor)
    if (isWhole || count > limits.maxTools) return { pages, isWhole, ttlMs }
    cursor = response.nextCursor
  }
}

function readTtlMs(response: object): number | null {
  const ttlMs: unknown = 'ttlMs' in response ? response.ttlMs : undefined
  return typeof ttlMs === 'number' && Number.isFinite(ttlMs) ? ttlMs : null
}
