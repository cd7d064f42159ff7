import {
  Client,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  InMemoryTransport,
} from '@modelcontextprotocol/client'
import type {
  AuthProvider,
  ClientOptions,
  JsonSchemaValidator,
  PriorDiscovery,
  Transport,
} from '@modelcontextprotocol/client'
import type { McpServer } from '@modelcontextprotocol/server'
import type { GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'
import { linkSignal, onAbort } from '../../lib/abort.ts'
import type { ConnectorLimits } from '../connector-limits.ts'
import { limitResponses, ResponseBudget } from './server-fetch.ts'
import { captureRawResults } from './capture-raw-results.ts'
import { OpenConnection } from './server-connection.ts'
import type { ServerConnection } from './server-connection.ts'

/** How to reach a server on behalf of one user. */
export type ServerTarget = {
  /** Consists of user, connector and credential version. A connection is never used under another key. */
  readonly key: string
} & (InProcessTarget | HttpTarget)

interface InProcessTarget {
  readonly kind: 'in_process'
  readonly createServer: () => Promise<McpServer>
}

export interface HttpTarget {
  readonly kind: 'http'
  readonly url: URL
  /** The guarded fetch. */
  readonly fetch: GuardedFetch['fetch']
  readonly auth: AuthProvider
  /** The result of an earlier discovery of the server's protocol revision, or null. */
  readonly prior: PriorDiscovery | null
}

export interface ConnectOptions {
  readonly limits: ConnectorLimits
  readonly signal: AbortSignal
  /** Called when the server announces that its list of tools has changed. */
  readonly onToolsChanged: () => void
}

const clientInfo = { name: 'yonder', title: 'Yonder', version: '1.0.0' }

/** Statuses with which a server that supports only HTTP+SSE refuses a POST to its event address. */
const sseOnlyStatuses = new Set([400, 404, 405])

/**
 * Connects to a server of any protocol revision. HTTP+SSE is tried only after a response that is typical of an SSE-only
 * server, and never after refused access, a timeout or a network failure (§18.21).
 */
export async function connectServer(
  target: ServerTarget,
  options: ConnectOptions,
): Promise<ServerConnection> {
  if (target.kind === 'in_process') {
    return connect(options, {}, (budget) => openInProcessTransport(target.createServer, budget))
  }
  const prior = target.prior === null ? {} : { prior: target.prior }
  try {
    return await connect(options, prior, (budget) => openStreamableHttp(target, options.limits, budget))
  } catch (error) {
    if (!(error instanceof SdkHttpError) || !sseOnlyStatuses.has(error.status)) throw error
    try {
      return await connect(options, {}, (budget) => openSse(target, options.limits, budget))
    } catch {
      throw error
    }
  }
}

async function connect(
  { limits, signal, onToolsChanged }: ConnectOptions,
  prior: { readonly prior?: PriorDiscovery },
  openTransport: (budget: ResponseBudget) => Transport,
): Promise<ServerConnection> {
  const budget = new ResponseBudget()
  budget.startRequest(limits.maxListBytes)
  const transport = openTransport(budget)
  const results = captureRawResults(transport)
  const connection = new OpenConnection(createClient(), transport, results, budget)
  connection.watch(onToolsChanged)
  const { connectTimeoutMs } = limits
  const linked = linkSignal(signal, connectTimeoutMs)
  const removeAbort = onAbort(linked.signal, () => void transport.close())
  try {
    await connection.client.connect(transport, {
      timeout: connectTimeoutMs,
      signal: linked.signal,
      ...prior,
    })
    linked.signal.throwIfAborted()
  } catch (error) {
    await transport.close().catch(() => undefined)
    throw connection.refusal ?? (linked.signal.aborted ? linked.signal.reason : error)
  } finally {
    removeAbort()
    linked.release()
  }
  connection.listen()
  return connection
}

function openSse({ url, auth, fetch }: HttpTarget, limits: ConnectorLimits, budget: ResponseBudget) {
  return new SSEClientTransport(url, {
    fetch: limitResponses(fetch, budget, limits),
    authProvider: auth,
  })
}

function openStreamableHttp(
  { url, auth, fetch }: HttpTarget,
  limits: ConnectorLimits,
  budget: ResponseBudget,
) {
  const { minReconnectMs, maxReconnects } = limits
  return new StreamableHTTPClientTransport(url, {
    fetch: limitResponses(fetch, budget, limits),
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

/** Turns validation off, since compiling or running a server's schema can block the event loop for minutes (§18.23). */
const acceptAll: NonNullable<ClientOptions['jsonSchemaValidator']> = {
  getValidator:
    <Value>(): JsonSchemaValidator<Value> =>
    (input) => ({ valid: true, data: input as Value, errorMessage: undefined }),
}

function createClient(): Client {
  return new Client(clientInfo, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: 'auto' },
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
  client.start = async () => {
    // Serves both protocol eras over any transport, with one server for the whole session.
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
    serveStdio(createServer, { transport: server })
    await startClient()
  }
  return client
}

/** Drops messages that exceed the budget; `budget.onExceeded` then closes the connection. */
function limitMessages(server: Transport, budget: ResponseBudget): void {
  const send = server.send.bind(server)
  server.send = async (message, options) => {
    const isExceeded = budget.count(Buffer.from(JSON.stringify(message)), false) !== undefined
    if (!isExceeded) await send(message, options)
  }
}
