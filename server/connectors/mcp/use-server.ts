import type { PriorDiscovery } from '@modelcontextprotocol/client'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { AppError } from '../../lib/app-error.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { updateConnectorState } from '../connector-store.ts'
import { createAuthProvider } from '../oauth/authorize-server.ts'
import type { ConsentRequest } from '../oauth/consent-request.ts'
import { connectServer, type ServerTarget } from './connect-server.ts'
import { connectionKey } from './connection-pool.ts'
import { isLostSession } from './explain-failure.ts'
import { fetchByOrigin } from './fetch-by-origin.ts'
import type { ServerConnection } from './server-connection.ts'

export interface UseServerOptions {
  readonly signal: AbortSignal
  /** Set when the user's browser can be sent to a consent page; no idle connection is used then. */
  readonly consent?: ConsentRequest
}

/**
 * Calls `use` with an idle or new connection to a connector's server. A server that has lost the session of an idle
 * connection has not run the request, so `use` is called once more with a new connection.
 */
export async function useServer<Result>(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  options: UseServerOptions,
  use: (connection: ServerConnection) => Promise<Result>,
): Promise<Result> {
  const key = connectionKey(connector)
  const idle = options.consent === undefined ? deps.shared.pool.acquire(key) : undefined
  if (idle !== undefined) {
    const hadSession = idle.hasSession
    try {
      return await runAndRelease(deps, key, idle, use)
    } catch (error) {
      if (!hadSession || !isLostSession(error)) throw error
      await idle.close()
    }
  }
  const connection = await open(deps, connector, key, options)
  return runAndRelease(deps, key, connection, use)
}

async function runAndRelease<Result>(
  deps: ConnectorDeps,
  key: string,
  connection: ServerConnection,
  use: (connection: ServerConnection) => Promise<Result>,
): Promise<Result> {
  try {
    const result = await use(connection)
    deps.shared.pool.release(key, connection)
    return result
  } catch (error) {
    // The connection is not reused: late messages of a failed request must not reach the next request.
    void deps.shared.turns.next().then(() => connection.close())
    throw connection.refusal ?? error
  }
}

async function open(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  key: string,
  { signal, consent }: UseServerOptions,
): Promise<ServerConnection> {
  const target = await resolveTarget(deps, connector, consent)
  const connection = await connectServer(target, {
    source: {
      userId: connector.user_id,
      url: connector.url,
      limits: deps.settings.limits,
      largeMessageReader: deps.shared.largeMessageReader,
      responseScheduler: deps.shared.responseScheduler,
    },
    turns: deps.shared.turns,
    signal,
    onToolsChanged: (announcing) =>
      deps.shared.announcedRefreshes.announce(key, { connector, connection: announcing }),
  })
  if (target.kind === 'http' && target.prior === null) {
    const era = formatEra(deps, connection)
    if (era !== undefined) await updateConnectorState(deps.database.db, connector, { era })
  }
  return connection
}

async function resolveTarget(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  consent: ConsentRequest | undefined,
): Promise<ServerTarget> {
  const prior = readEra(connector, deps.now())
  if (connector.is_default === 1) {
    const builtIn = deps.builtIns.find(connector.url)
    if (builtIn === undefined)
      throw new AppError('not_found', `The connector "${connector.name}" is no longer available.`)
    const { server } = builtIn
    const account = { userId: connector.user_id, version: connector.credential_version }
    if (server.kind === 'in_process')
      return { kind: 'in_process', createServer: () => server.create(account) }
    return {
      kind: 'http',
      url: server.address,
      fetch: (input, init) => server.fetch(account, new Request(input, init)),
      auth: { token: () => Promise.resolve(undefined) },
      prior,
    }
  }
  const url = deps.guards.userSupplied.requireUrl(connector.url)
  const auth = await createAuthProvider(deps, connector, url, consent)
  return { kind: 'http', url, fetch: fetchByOrigin(url, deps.guards), auth, prior }
}

interface StoredEra {
  readonly prior: PriorDiscovery
  /** Milliseconds since 1970. */
  readonly until: number
}

function readEra({ era }: ConnectorRow, now: number): PriorDiscovery | null {
  if (era === null) return null
  const { prior, until } = JSON.parse(era) as StoredEra
  return until > now ? prior : null
}

/** Characters up to which a discovery result is stored. */
const maxEraChars = 64_000

/**
 * Formats the server's protocol era for storage, so that the next connection need not discover it. Returns undefined
 * when it is too long to be stored.
 */
function formatEra(
  { settings: { limits }, now }: Pick<ConnectorDeps, 'settings' | 'now'>,
  { era, client }: ServerConnection,
): string | undefined {
  const discover = client.getDiscoverResult()
  const stored: StoredEra =
    era === 'modern' && discover !== undefined
      ? { prior: { kind: 'modern', discover }, until: now() + limits.toolListTtlMs }
      : { prior: { kind: 'legacy' }, until: now() + limits.legacyEraTtlMs }
  const text = JSON.stringify(stored)
  return text.length > maxEraChars ? undefined : text
}
