import type { PriorDiscovery } from '@modelcontextprotocol/client'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import type { GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'
import { AppError } from '../../lib/app-error.ts'
import { listHeaderSecrets } from '../../lib/hide-secret.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { openHeaders } from '../connector-headers.ts'
import { updateConnectorState } from '../connector-store.ts'
import { createAuthProvider, usesOAuth } from '../oauth/authorize-server.ts'
import type { ConsentRequest } from '../oauth/consent-request.ts'
import { connectServer, type ServerTarget } from './connect-server.ts'
import { connectionKey, sessionKey } from './connection-pool.ts'
import { fetchByOrigin } from './fetch-by-origin.ts'
import type { ServerConnection } from './server-connection.ts'

export interface UseServerOptions {
  readonly signal: AbortSignal
  /** Set when the user's browser can be sent to a consent page; no idle connection is used then. */
  readonly consent?: ConsentRequest
  /** The chat whose session at the server is used, or a connection without a session. */
  readonly chat?: ChatSession | undefined
}

export interface ChatSession {
  readonly chatId: string
  /** Called before the request is sent, if the server has sessions, with the id of the session that it runs in. */
  readonly onSession: (sessionId: string) => Promise<void>
}

/**
 * Calls `use` with an idle or new connection to a connector's server. When the server has lost the session of an idle
 * connection and so has not run the request, `use` is called once more with a new connection.
 */
export async function useServer<Result>(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  options: UseServerOptions,
  use: (connection: ServerConnection) => Promise<Result>,
): Promise<Result> {
  const idle = options.consent === undefined ? acquireIdle(deps, connector, options.chat) : undefined
  if (idle !== undefined) {
    try {
      return await runAndRelease(deps, connector, idle, options, use)
    } catch (error) {
      if (!(error instanceof LostSession)) throw error
    }
  }
  const connection = await open(deps, connector, options)
  try {
    return await runAndRelease(deps, connector, connection, options, use)
  } catch (error) {
    throw error instanceof LostSession ? error.cause : error
  }
}

function acquireIdle(
  { shared: { pool } }: Pick<ConnectorDeps, 'shared'>,
  connector: ConnectorRow,
  chat: ChatSession | undefined,
): ServerConnection | undefined {
  const key = connectionKey(connector)
  if (chat === undefined) return pool.acquire(key)
  // The session in which tools are listed belongs to no chat.
  return (
    pool.acquire(sessionKey(connector, chat.chatId)) ??
    pool.acquire(key, ({ sessionId }) => sessionId === undefined)
  )
}

/** Thrown when the server has lost the session and has certainly not run the request. */
class LostSession extends Error {}

/**
 * Uses a connection and releases it. It is closed only when it is broken, its server has lost the session, or has
 * exceeded a limit: what earlier calls have opened in the session must survive a failed or aborted request.
 */
async function runAndRelease<Result>(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  connection: ServerConnection,
  { chat, signal }: UseServerOptions,
  use: (connection: ServerConnection) => Promise<Result>,
): Promise<Result> {
  const { pool, turns } = deps.shared
  const { sessionId } = connection
  const keepsSession = chat !== undefined && sessionId !== undefined
  const key = keepsSession ? sessionKey(connector, chat.chatId) : connectionKey(connector)
  pool.begin(key, connection)
  try {
    if (keepsSession) await chat.onSession(sessionId)
    const result = await use(connection)
    if (keepsSession) connection.limitIdle(deps.settings.limits.maxIdleBytes)
    pool.release(key, connection, keepsSession)
    return result
  } catch (raised) {
    const error = connection.responses.takeFailure() ?? raised
    await connection.waitForCancellations(deps.settings.limits.maxCancelMs)
    const loss = sessionId === undefined ? 'kept' : await connection.checkSession(error, signal)
    // Before the next request of the chat, which needs the session.
    if (loss === 'kept' && connection.refusal === undefined) {
      if (keepsSession) connection.limitIdle(deps.settings.limits.maxIdleBytes)
      pool.release(key, connection, keepsSession)
    } else {
      // Many requests can fail at the same moment, and closing sends requests.
      void turns.next().then(() => pool.discard(connection))
    }
    if (loss === 'before_request') throw new LostSession('The server has lost the session.', { cause: error })
    throw connection.refusal ?? error
  }
}

async function open(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  { signal, consent }: UseServerOptions,
): Promise<ServerConnection> {
  const key = connectionKey(connector)
  const target = await resolveTarget(deps, connector, consent)
  const connection = await connectServer(target, {
    source: {
      userId: connector.user_id,
      url: connector.url,
      limits: deps.settings.limits,
      largeMessageReader: deps.shared.largeMessageReader,
      responseScheduler: deps.shared.responseScheduler,
      ...(target.kind === 'http' && {
        secrets: () => [...(target.secrets ?? []), ...(target.auth.secrets?.() ?? [])],
      }),
    },
    turns: deps.shared.turns,
    signal,
    onToolsChanged(announcing) {
      deps.shared.announcedAt.set(key, deps.now())
      deps.shared.announcedRefreshes.announce(key, { connector, connection: announcing })
    },
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
  const headers = openHeaders(deps.sealer, connector)
  const auth = await createAuthProvider(deps, connector, url, consent)
  return {
    kind: 'http',
    url,
    fetch: asksForAuthorization(deps, connector, withHeaders(fetchByOrigin(url, deps.guards), url, headers)),
    auth,
    secrets: headers.flatMap(({ value }) => listHeaderSecrets(value)),
    prior,
  }
}

/**
 * Reads 403 as 401 while a connection without a token has had no other answer, and when a token is not valid: some
 * servers mix them up, and the SDK requests an authorization only after 401.
 */
function asksForAuthorization(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  send: GuardedFetch['fetch'],
): GuardedFetch['fetch'] {
  if (!usesOAuth(deps, connector)) return send
  let hasAccess = false
  return async (input, init) => {
    const response = await send(input, init)
    hasAccess ||= response.ok || new Headers(init?.headers).has('authorization')
    const isInvalid = response.headers.get('www-authenticate')?.includes('invalid_token') === true
    if (response.status !== 403 || (hasAccess && !isInvalid)) return response
    return new Response(response.body, { status: 401, headers: response.headers })
  }
}

/** Adds the connector's own headers to the requests to its own origin. */
function withHeaders(
  send: GuardedFetch['fetch'],
  url: URL,
  own: ReturnType<typeof openHeaders>,
): GuardedFetch['fetch'] {
  if (own.length === 0) return send
  return (input, init) => {
    if (new URL(input instanceof Request ? input.url : input).origin !== url.origin) return send(input, init)
    const headers = new Headers(init?.headers)
    for (const { name, value } of own) headers.set(name, value)
    return send(input, { ...init, headers })
  }
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
