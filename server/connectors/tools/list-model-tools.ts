import type { ApiType } from '@yonder/contract/bot'
import type { ModelTool } from '@yonder/contract/connector'
import { type Actor, ownerOf } from '../../access/access.ts'
import type { ConnectorRow, ConnectorToolRow } from '../../db/tables/connector-tables.ts'
import { AppError } from '../../lib/app-error.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { connectionKey } from '../mcp/connection-pool.ts'
import { syncConnectors } from '../sync-connectors.ts'
import {
  adaptTools,
  selectTools,
  type AdaptedTools,
  type ConnectorWithTools,
  type OfferedTool,
} from './adapt-tools.ts'
import { reportConnecting, reportStoredRound, reportSummary, type OnStatus } from './connection-round.ts'
import { findPreferredTools, fitsRequest, offerTools, type ModelTools } from './offer-tools.ts'
import { readBlockedTools } from './permission-store.ts'
import type { ReadBotConnectors } from './resolve-tool.ts'
import { findTool, listTools } from './tool-store.ts'

export interface ListModelToolsOptions {
  readonly user: Actor
  readonly apiType: ApiType
  readonly signal: AbortSignal
  readonly onStatus: OnStatus
  /** Whether the connectors are reported also when the reply does not wait for them. */
  readonly reportsStored?: boolean
  /** Without it, all connectors are used. */
  readonly readBotConnectors?: ReadBotConnectors
}

type IsUsable = (connector: Pick<ConnectorRow, 'id'>) => boolean
/** Whether a reply waits for the list of a connector. */
type IsAwaited = (connector: ConnectorRow) => boolean

/**
 * Returns the stored tools of the user's connected connectors. A missing list (never loaded, or failed) is loaded
 * first, unless the connector is paused after a failure. The reply waits at most `maxToolListWaitMs` for it, so that a
 * connector that fails or hangs affects only its own tools. After one reply has waited in vain, the later ones use the
 * stored tools until the connector has answered. An expired list is used and refreshed in the background.
 * `onStatus` is called when the reply waits, and otherwise if `reportsStored` is set. Connectors that
 * the bot may not use are not loaded, reported or offered.
 */
export async function listModelTools(
  deps: ConnectorDeps,
  options: ListModelToolsOptions,
): Promise<ModelTools> {
  const { user, apiType, onStatus, reportsStored = false, readBotConnectors } = options
  const { database, builtIns, now } = deps
  const [usable, listed] = await Promise.all([
    readBotConnectors?.(),
    syncConnectors(database.db, user, builtIns, now()),
  ])
  const isUsable: IsUsable = ({ id }) => usable?.includes(id) ?? true
  const own = listed.filter(({ status }) => status !== 'disconnected')
  const connectors = own.filter(isUsable)
  const isAwaited: IsAwaited = (connector) => lacksToolList(connector) && !isUnanswered(deps, connector)
  const known = connectors.filter((connector) => !isAwaited(connector))
  const expired = known.filter(
    (connector) => lacksToolList(connector) || (connector.tools_expire_at ?? 0) <= now(),
  )
  if (expired.length > 0) refreshInBackground(deps, expired)
  if (connectors.some((connector) => isAwaited(connector) && mayRetry(deps, connector))) {
    return refreshFirst(deps, options, { own, isUsable, isAwaited })
  }
  // The tools of all connectors are adapted, so that all bots share one cache entry, and so that a call of a connector
  // that this bot may not use is refused with the reason.
  const stored = own.filter((connector) => !isAwaited(connector))
  const offered = await offerStoredTools(deps, apiType, stored, isUsable)
  if (reportsStored) reportStoredRound(connectors, known, offered, onStatus)
  return offered
}

/** Whether there is no stored list of tools to use. */
function lacksToolList({ status, tools_expire_at }: ConnectorRow): boolean {
  return status === 'failed' || tools_expire_at === null
}

/** Whether a reply has waited for this connector in vain, and it has not answered since. */
function isUnanswered({ shared }: Pick<ConnectorDeps, 'shared'>, connector: ConnectorRow): boolean {
  return shared.unanswered.has(connectionKey(connector))
}

function mayRetry({ shared }: Pick<ConnectorDeps, 'shared'>, connector: ConnectorRow): boolean {
  try {
    shared.backoff.throwIfPaused(connectionKey(connector))
    return true
  } catch {
    return false
  }
}

async function refreshFirst(
  deps: ConnectorDeps,
  { apiType, signal, onStatus }: ListModelToolsOptions,
  {
    own,
    isUsable,
    isAwaited,
  }: { readonly own: readonly ConnectorRow[]; readonly isUsable: IsUsable; readonly isAwaited: IsAwaited },
): Promise<ModelTools> {
  // Loads the MCP client.
  const { prepareConnector } = await import('./prepare-connector.ts')
  const connectors = own.filter(isUsable)
  reportConnecting(connectors, onStatus)
  const prepared = await Promise.all(
    connectors.map((connector) =>
      prepareConnector(deps, connector, { needsRefresh: isAwaited(connector), signal, onStatus }),
    ),
  )
  const ready = prepared.filter((each) => each !== undefined)
  const stored = [
    ...ready.map(({ connector }) => connector),
    ...own.filter((connector) => !isUsable(connector)),
  ]
  const offered = await offerStoredTools(deps, apiType, stored, isUsable)
  const working = ready.filter(({ works }) => works)
  reportSummary({ ready: working.length, all: connectors.length }, offered, onStatus)
  return offered
}

/** Refreshes lists without waiting for them. The outcomes are stored in the connectors' rows. */
function refreshInBackground(deps: ConnectorDeps, connectors: readonly ConnectorRow[]): void {
  import('./refresh-tools.ts')
    .then(({ refreshTools }) => Promise.allSettled(connectors.map((each) => refreshTools(deps, each))))
    .catch(deps.onError)
}

/** Chooses the tools of one request. What the user prefers is read only when not all tools fit. */
async function offerStoredTools(
  deps: ConnectorDeps,
  apiType: ApiType,
  connectors: readonly ConnectorRow[],
  isUsable: IsUsable = () => true,
): Promise<ModelTools> {
  const adapted = await adaptStoredTools(deps, apiType, connectors)
  const [first] = connectors
  const isBlocked =
    first && (await readBlockedTools(deps.database.db, ownerOf(first), deps.settings.ceilings))
  const usable = selectTools(
    adapted,
    ({ connector, toolName }) => isUsable(connector) && isBlocked?.(connector, toolName) !== true,
  )
  const { maxToolsPerRequest, maxToolCharsPerRequest } = deps.settings.limits
  const limits = { maxTools: maxToolsPerRequest, maxChars: maxToolCharsPerRequest }
  if (fitsRequest(usable, limits)) return offerTools(usable, limits)
  return offerTools(usable, limits, await findPreferredTools(deps, connectors.filter(isUsable)))
}

/**
 * Adapts the stored tools. The result is cached, since it changes only with the connectors' rows, which are written
 * with their tools.
 */
async function adaptStoredTools(
  deps: ConnectorDeps,
  apiType: ApiType,
  connectors: readonly ConnectorRow[],
): Promise<AdaptedTools> {
  const { adaptedTools } = deps.shared
  const [first] = connectors
  if (first === undefined) return adaptTools([], apiType)
  const key = `${first.user_id} ${apiType}`
  const state = JSON.stringify(
    connectors.map(({ id, name, slug, credential_version, tools_expire_at }) => [
      id,
      name,
      slug,
      credential_version,
      tools_expire_at,
    ]),
  )
  const cached = adaptedTools.get(key)
  if (cached?.state === state) return cached.adapted
  const withTools: ConnectorWithTools[] = []
  for (const connector of connectors) {
    // A list can have megabytes, and reading it takes 10 ms.
    await deps.shared.turns.next()
    withTools.push({ connector, tools: await listTools(deps.database.db, [connector.id]) })
  }
  const adapted = await adaptTools(withTools, apiType)
  adaptedTools.set(key, { state, adapted })
  return adapted
}

/**
 * Returns what models read of a tool, taken from what they are offered. A tool that is not offered now is
 * described as it would be offered alone.
 * @throws AppError `not_found`
 */
export async function readModelTool(
  deps: ConnectorDeps,
  user: Actor,
  connector: ConnectorRow,
  toolName: string,
): Promise<ModelTool> {
  const row = await findTool(deps.database.db, connector, toolName)
  if (row === undefined) {
    throw new AppError('not_found', `The connector "${connector.name}" has no tool named "${toolName}".`)
  }
  // Only the schemas for Google differ from those for other providers.
  const general = await readOffer(deps, user, connector, row, 'openai')
  const google = await readOffer(deps, user, connector, row, 'google')
  const described = general.tool ?? google.tool
  const isSame = canonicalJson(general.tool?.inputSchema) === canonicalJson(google.tool?.inputSchema)
  // As text, because a page would change numbers of the schema that models read.
  const write = (tool: OfferedTool | undefined) =>
    tool === undefined ? null : JSON.stringify(tool.inputSchema)
  return {
    fingerprint: row.fingerprint,
    name: described?.name ?? row.name,
    description: described?.description ?? '',
    parameters: write(described),
    google_parameters: isSame ? null : write(google.tool),
    offered: general.isOffered || google.isOffered,
  }
}

async function readOffer(
  deps: ConnectorDeps,
  user: Actor,
  connector: ConnectorRow,
  row: ConnectorToolRow,
  apiType: ApiType,
): Promise<{ readonly tool: OfferedTool | undefined; readonly isOffered: boolean }> {
  const own = await syncConnectors(deps.database.db, user, deps.builtIns, deps.now())
  const known = own.filter((each) => each.status !== 'disconnected' && !lacksToolList(each))
  const offered = (await offerStoredTools(deps, apiType, known)).find(connector, row.name)
  if (offered !== undefined) return { tool: offered, isOffered: true }
  const alone = await adaptTools([{ connector, tools: [row] }], apiType)
  return { tool: alone.tools[0], isOffered: false }
}
