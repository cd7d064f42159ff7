import {
  Client,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  InMemoryTransport,
  type AuthProvider,
  type ClientOptions,
  type JsonSchemaValidator,
  type PriorDiscovery,
  type Transport,
} from '@modelcontextprotocol/client'
import type { McpServer } from '@modelcontextprotocol/server'
import type { GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'
import { onAbort, withTimeout } from '../../lib/abort.ts'
import type { EventLoopTurns } from '../../lib/event-loop-turns.ts'
import { toOrdinaryNumbers } from '../../lib/json-object.ts'
import type { ConnectorLimits } from '../connector-limits.ts'
import { ResponseBudget } from '../responses/response-budget.ts'
import { ResponseReader, type ResponseSource } from '../responses/response-reader.ts'
import { isFailedDiscovery } from './explain-failure.ts'
import { ServerConnection } from './server-connection.ts'

/** How to reach a server on behalf of one user. */
export type ServerTarget = InProcessTarget | HttpTarget

interface InProcessTarget {
  readonly kind: 'in_process'
  readonly createServer: () => Promise<McpServer>
}

/** The SDK's provider for one connection, which may stay open for hours. */
export interface ConnectionAuth extends AuthProvider {
  /** Resets the count that `maxAuthorizations` limits. Called before each call or list, as each has its own count. */
  resetAttempts?(): void
  /** The secrets of the authorization that no request to the server has, such as its refresh token. */
  secrets?(): readonly string[]
}

export interface HttpTarget {
  readonly kind: 'http'
  readonly url: URL
  readonly fetch: GuardedFetch['fetch']
  readonly auth: ConnectionAuth
  /** The secrets in the connector's own headers. */
  readonly secrets?: readonly string[]
  /** The result of an earlier discovery of the server's protocol revision, or null. */
  readonly prior: PriorDiscovery | null
}

export interface ConnectOptions {
  readonly source: ResponseSource
  readonly turns: EventLoopTurns
  readonly signal: AbortSignal
  /** Called when the server announces that its list of tools has changed. */
  readonly onToolsChanged: (connection: ServerConnection) => void
}

const clientInfo = { name: 'yonder', title: 'Yonder', version: '1.0.0' }

/** Statuses with which a server that supports only HTTP+SSE refuses a POST to its event address. */
const sseOnlyStatuses = new Set([400, 404, 405])

/**
 * Connects to a server of any protocol revision. Many servers fail at methods that they do not have, so a server that
 * fails at the first request of the newest revision is connected with the older handshake, unless it refused access or
 * cannot be reached. HTTP+SSE is tried only after a response that is typical of an SSE-only server.
 */
export async function connectServer(
  target: ServerTarget,
  options: ConnectOptions,
): Promise<ServerConnection> {
  return withTimeout(options.signal, options.source.limits.connectTimeoutMs, (signal) => {
    const inTime = { ...options, signal }
    if (target.kind === 'http') return connectHttp(target, inTime)
    return connect(inTime, {}, (_, budget) => openInProcessTransport(target.createServer, budget))
  })
}

async function connectHttp(target: HttpTarget, options: ConnectOptions): Promise<ServerConnection> {
  const { url, auth, fetch } = target
  const onReset = () => auth.resetAttempts?.()
  const open = (prior: { readonly prior?: PriorDiscovery }) =>
    connect(options, prior, (wrap) => openStreamableHttp(target, wrap(fetch), options.source.limits), onReset)
  try {
    if (target.prior !== null) return await open({ prior: target.prior })
    try {
      return await open({})
    } catch (error) {
      if (options.signal.aborted || !isFailedDiscovery(error)) throw error
      return await open({ prior: { kind: 'legacy' } })
    }
  } catch (error) {
    if (!(error instanceof SdkHttpError) || !sseOnlyStatuses.has(error.status)) throw error
    try {
      const openSse: OpenTransport = (wrap) =>
        new SSEClientTransport(url, { fetch: wrap(fetch, 'sse'), authProvider: auth })
      return await connect(options, {}, openSse, onReset)
    } catch {
      throw error
    }
  }
}

/** Opens a transport whose requests are sent with `wrap(fetch)` or whose server gets the `budget`. */
type OpenTransport = (
  wrap: (send: GuardedFetch['fetch'], transport?: 'sse') => GuardedFetch['fetch'],
  budget: ResponseBudget,
) => Transport

async function connect(
  options: ConnectOptions,
  prior: { readonly prior?: PriorDiscovery },
  openTransport: OpenTransport,
  onReset: () => void = () => undefined,
): Promise<ServerConnection> {
  const { signal, source, turns, onToolsChanged } = options
  const { limits } = source
  const budget = new ResponseBudget()
  budget.reset(limits.maxConnectBytes)
  const responses = new ResponseReader(source, budget)
  const transport = openTransport((send, kind) => {
    const sendInTurn: GuardedFetch['fetch'] = async (input, init) => {
      await turns.next()
      responses.noteSent(init)
      return send(input, init)
    }
    return responses.wrap(sendInTurn, kind)
  }, budget)
  responses.watchRequests(transport)
  const connection = new ServerConnection(createClient(limits), transport, responses, budget, onReset)
  connection.client.setNotificationHandler('notifications/tools/list_changed', () =>
    onToolsChanged(connection),
  )
  const removeAbort = onAbort(signal, () => void transport.close())
  try {
    await connection.client.connect(transport, {
      timeout: limits.connectTimeoutMs,
      signal,
      ...prior,
    })
    signal.throwIfAborted()
  } catch (error) {
    await transport.close().catch(() => undefined)
    throw connection.refusal ?? responses.takeFailure() ?? (signal.aborted ? signal.reason : error)
  } finally {
    removeAbort()
  }
  connection.listen()
  return connection
}

function openStreamableHttp(
  { url, auth }: HttpTarget,
  fetch: GuardedFetch['fetch'],
  { minReconnectMs, maxReconnects }: ConnectorLimits,
): Transport {
  return new StreamableHTTPClientTransport(url, {
    fetch,
    authProvider: auth,
    onInsufficientScope: 'throw',
    reconnectionOptions: {
      initialReconnectionDelay: minReconnectMs,
      maxReconnectionDelay: 30 * minReconnectMs,
      reconnectionDelayGrowFactor: 2,
      maxRetries: maxReconnects,
    },
    // A server can request a shorter delay, which is ignored.
    reconnectionScheduler: (open, delay) => {
      const timer = setTimeout(open, Math.max(delay, minReconnectMs))
      timer.unref()
      return () => clearTimeout(timer)
    },
  })
}

/** Turns validation off, since compiling or running a server's schema can block the event loop for minutes. */
const acceptAll: NonNullable<ClientOptions['jsonSchemaValidator']> = {
  getValidator:
    <Value>(): JsonSchemaValidator<Value> =>
    (input) => ({ valid: true, data: input as Value, errorMessage: undefined }),
}

function createClient({ connectTimeoutMs }: ConnectorLimits): Client {
  return new Client(clientInfo, {
    capabilities: { elicitation: { form: {}, url: {} } },
    // Leaves time for the older handshake when the server does not respond to the newest one.
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: Math.round((connectTimeoutMs * 2) / 3) } },
    inputRequired: { autoFulfill: false },
    jsonSchemaValidator: acceptAll,
  })
}

/**
 * Opens the client's end of an in-memory session with a server in this process. Closing the transport also ends the
 * server. With a `budget`, the server's messages are limited like the responses of a remote server.
 */
export function openInProcessTransport(
  createServer: () => Promise<McpServer>,
  budget?: ResponseBudget,
): Transport {
  const [client, server] = InMemoryTransport.createLinkedPair()
  if (budget !== undefined) limitMessages(server, budget)
  const startClient = client.start.bind(client)
  const send = client.send.bind(client)
  // A server of this process gets what it would read from the network: ordinary numbers.
  client.send = (message, options) => send(toOrdinaryNumbers(message), options)
  client.start = async () => {
    // Serves both protocol eras over any transport, with one server for the whole session.
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
    serveStdio(createServer, { transport: server })
    await startClient()
  }
  return client
}

/** Drops messages that exceed the budget. Exceeding the budget also closes the connection. */
function limitMessages(server: Transport, budget: ResponseBudget): void {
  const send = server.send.bind(server)
  server.send = async (message, options) => {
    const bytes = Buffer.from(JSON.stringify(message))
    const isExceeded = budget.count(bytes, false) !== undefined
    if ('method' in message && message.method === 'notifications/progress')
      budget.uncountProgress(bytes.length, 0)
    if (!isExceeded) await send(message, options)
  }
}
