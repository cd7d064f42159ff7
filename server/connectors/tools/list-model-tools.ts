import type { ApiType } from '@yonder/contract/bot'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { connectionKey } from '../mcp/connection-pool.ts'
import type { ConnectionStatus } from './connection-round.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import type { Owner } from '../connector-store.ts'
import { listOwnConnectors } from '../list-own-connectors.ts'
import { countTools, offerTools } from './offer-tools.ts'
import type { ModelTools } from './offer-tools.ts'
import { listTools } from './tool-store.ts'

export interface ListModelToolsOptions {
  readonly user: Owner
  readonly apiType: ApiType
  readonly signal: AbortSignal
  readonly onStatus: (status: ConnectionStatus) => void
}

/**
 * The tools of a person's connected connectors, from the database. Where a list is not known, because its server was never
 * asked, says that it has changed, or failed, it is asked for now, and a reply waits for that as long as
 * `limits.toolsWait`: a connector that fails or hangs costs its own tools, at most. A list that has only become old is used
 * as it is and asked for again meanwhile. Nothing is said (`onStatus`) unless a reply waits.
 */
export async function listModelTools(
  deps: ConnectorDeps,
  { user, apiType, signal, onStatus }: ListModelToolsOptions,
): Promise<ModelTools> {
  const { database, builtIns, now } = deps
  const connectors = (await listOwnConnectors(database.db, user, builtIns, now())).filter(
    ({ status }) => status !== 'disconnected',
  )
  if (connectors.some((connector) => isUnknown(connector) && mayBeAsked(deps, connector))) {
    return connectFirst(deps, { user, apiType, signal, onStatus }, connectors)
  }
  const known = connectors.filter((connector) => !isUnknown(connector))
  const old = known.filter(({ tools_expire_at }) => (tools_expire_at ?? 0) <= now())
  if (old.length > 0) refreshBehind(deps, old)
  return offerKnown(deps, apiType, known)
}

/** Whether there is no list of tools that could be used as it is. */
function isUnknown({ status, tools_expire_at }: ConnectorRow): boolean {
  return status === 'failed' || tools_expire_at === null
}

function mayBeAsked({ shared }: Pick<ConnectorDeps, 'shared'>, connector: ConnectorRow): boolean {
  try {
    shared.backoff.throwIfPaused(connectionKey(connector))
    return true
  } catch {
    return false
  }
}

async function connectFirst(
  deps: ConnectorDeps,
  { user, apiType, signal, onStatus }: ListModelToolsOptions,
  connectors: readonly ConnectorRow[],
): Promise<ModelTools> {
  // Brings the protocol with it.
  const { ConnectionRound } = await import('./connection-round.ts')
  for (const { name } of connectors)
    onStatus({ status: 'connecting', server: name, message: `Connecting to ${name}` })
  const round = new ConnectionRound(deps, user, onStatus)
  await Promise.all(connectors.map((connector) => round.look(connector, isUnknown(connector), signal)))
  const offered = await offerTools(round.ready, apiType, deps.settings.limits.maxToolsPerRequest)
  for (const notice of offered.notices) onStatus({ status: 'info', server: '', message: notice })
  const message = `${round.ready.length} of ${connectors.length} connectors are ready, with ${countTools(offered.tools.length)}.`
  onStatus({ status: 'summary', server: '', message, finished: true })
  return offered
}

/** How it went stands in the connectors' rows. */
function refreshBehind(deps: ConnectorDeps, connectors: readonly ConnectorRow[]): void {
  import('./refresh-tools.ts')
    .then(({ refreshTools }) => Promise.allSettled(connectors.map((each) => refreshTools(deps, each))))
    .catch(deps.onError)
}

/** What a model is told changes only with a connector's row: its list is replaced together with its time. */
async function offerKnown(
  { database, shared: { offeredTools }, settings: { limits } }: ConnectorDeps,
  apiType: ApiType,
  connectors: readonly ConnectorRow[],
): Promise<ModelTools> {
  const [first] = connectors
  if (first === undefined) return offerTools([], apiType, limits.maxToolsPerRequest)
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
  const remembered = offeredTools.get(key)
  if (remembered?.state === state) return remembered.offered
  const tools = await listTools(
    database.db,
    connectors.map(({ id }) => id),
  )
  const ready = connectors.map((connector) => ({
    connector,
    tools: tools.filter(({ connector_id }) => connector_id === connector.id),
  }))
  const offered = await offerTools(ready, apiType, limits.maxToolsPerRequest)
  offeredTools.set(key, { state, offered })
  return offered
}
