import {
  Client,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import type {
  AuthProvider,
  ClientOptions,
  DiscoverResult,
  JsonSchemaValidator,
  PriorDiscovery,
  Transport,
} from '@modelcontextprotocol/client'
import type { GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'
import type { ElicitationAnswer } from '@yonder/contract/elicitation'
import type { AppError } from '../../lib/app-error.ts'
import type { ConnectorLimits } from '../connector-limits.ts'
import { AnswerMeter } from './limit-responses.ts'
import { setResultsAside } from './capture-raw-results.ts'
import type { RawResults } from './capture-raw-results.ts'

/** A server as it is reached for one person. */
export interface ServerTarget {
  /** User, connector and credential version: a connection is never used under another key. */
  readonly key: string
  readonly url: URL
  /** The guarded way out. */
  readonly fetch: GuardedFetch['fetch']
  readonly auth: AuthProvider
  /** What is believed of the server's revision; null when nothing is. */
  readonly prior: PriorDiscovery | null
}

/** Asked by a legacy server in the middle of a call; `params` is whatever it sent. */
export type LegacyElicitation = (params: unknown, signal: AbortSignal) => Promise<ElicitationAnswer>

/** An open connection, used for one request at a time. */
export interface ServerConnection {
  readonly client: Client
  readonly era: 'modern' | 'legacy'
  readonly discover: DiscoverResult | undefined
  /** The server keeps a session for it, and may forget it. */
  readonly hasSession: boolean
  readonly results: RawResults
  /** Begins a request whose answers may have this many bytes. */
  allow(bytes: number): void
  /** Who answers the server's questions; nobody between calls. */
  elicitation: LegacyElicitation | undefined
  /** Why it was ended, when its server sent too much. */
  readonly refusal: AppError | undefined
  /** False once it has broken or was closed. */
  readonly usable: boolean
  close(): Promise<void>
}

export interface ConnectOptions {
  readonly limits: ConnectorLimits
  readonly signal: AbortSignal
  /** The server says that its list of tools is another one. */
  readonly onToolsChanged: () => void
}

const clientInfo = { name: 'yonder', title: 'Yonder', version: '1.0.0' }

/** Statuses with which a server of the oldest transport answers a POST to its address of events. */
const olderTransport = new Set([400, 404, 405])

/**
 * Connects, whatever revision the server speaks. The older transport is tried only after an answer that such a server
 * gives; never after a refusal, a timeout or a broken network.
 */
export async function connectServer(
  target: ServerTarget,
  options: ConnectOptions,
): Promise<ServerConnection> {
  try {
    return await connect(target, options, 'http')
  } catch (error) {
    if (!(error instanceof SdkHttpError) || !olderTransport.has(error.status)) throw error
    try {
      return await connect(target, options, 'sse')
    } catch {
      throw error
    }
  }
}

async function connect(
  target: ServerTarget,
  { limits, signal, onToolsChanged }: ConnectOptions,
  kind: 'http' | 'sse',
): Promise<ServerConnection> {
  const meter = new AnswerMeter({
    fetch: target.fetch,
    reconnect: limits.reconnect,
    reconnects: limits.reconnects,
  })
  meter.allow(limits.listBytes)
  const transport = openTransport(target, limits, meter, kind)
  const results = setResultsAside(transport)
  const connection = new OpenConnection(createClient(), transport, results, meter)
  connection.watch(onToolsChanged)
  meter.onRefusal = (refusal) => connection.refuse(refusal)
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(limits.connect)])
  const abort = (): void => void transport.close()
  timeout.addEventListener('abort', abort, { once: true })
  try {
    await connection.client.connect(transport, {
      timeout: limits.connect,
      signal: timeout,
      ...(target.prior === null || kind === 'sse' ? {} : { prior: target.prior }),
    })
    timeout.throwIfAborted()
  } catch (error) {
    await transport.close().catch(() => undefined)
    throw connection.refusal ?? (timeout.aborted ? timeout.reason : error)
  } finally {
    timeout.removeEventListener('abort', abort)
  }
  connection.listen()
  return connection
}

function openTransport(
  { url, auth }: ServerTarget,
  { reconnect, reconnects }: ConnectorLimits,
  { fetch }: AnswerMeter,
  kind: 'http' | 'sse',
): StreamableHTTPClientTransport | SSEClientTransport {
  if (kind === 'sse') return new SSEClientTransport(url, { fetch, authProvider: auth })
  return new StreamableHTTPClientTransport(url, {
    fetch,
    authProvider: auth,
    onInsufficientScope: 'throw',
    reconnectionOptions: {
      initialReconnectionDelay: reconnect,
      maxReconnectionDelay: 30 * reconnect,
      reconnectionDelayGrowFactor: 2,
      maxRetries: reconnects,
    },
    // A server may ask for less; it does not get it.
    reconnectionScheduler: (open, delay) => {
      const timer = setTimeout(open, Math.max(delay, reconnect))
      timer.unref()
      return () => clearTimeout(timer)
    },
  })
}

/** Says yes to every value: a schema that a server sent is never compiled, since compiling or running it can take for ever. */
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

class OpenConnection implements ServerConnection {
  elicitation: LegacyElicitation | undefined
  refusal: AppError | undefined
  readonly client: Client
  readonly results: RawResults
  readonly #transport: Transport
  readonly #meter: AnswerMeter
  #closed = false

  constructor(client: Client, transport: Transport, results: RawResults, meter: AnswerMeter) {
    this.client = client
    this.results = results
    this.#transport = transport
    this.#meter = meter
    Object.assign(client, {
      onclose: () => {
        this.#closed = true
      },
      // Every failure that matters fails a request too.
      onerror: () => undefined,
    })
    client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
      const answer = await this.elicitation?.(params, mcpReq.signal)
      return { ...(answer ?? { action: 'decline' as const }) }
    })
  }

  get era(): 'modern' | 'legacy' {
    return this.client.getProtocolEra() ?? 'legacy'
  }

  get discover(): DiscoverResult | undefined {
    return this.client.getDiscoverResult()
  }

  get hasSession(): boolean {
    return this.#transport.sessionId !== undefined
  }

  get usable(): boolean {
    return !this.#closed
  }

  /** Ends whatever waits for an answer. */
  refuse(refusal: AppError): void {
    this.refusal ??= refusal
    void this.client.close()
  }

  allow(bytes: number): void {
    this.#meter.allow(bytes)
  }

  watch(onToolsChanged: () => void): void {
    this.client.setNotificationHandler('notifications/tools/list_changed', onToolsChanged)
  }

  /** Newer servers tell of changes only on a stream that is opened for it; one that cannot is asked again now and then. */
  listen(): void {
    if (this.era !== 'modern' || this.client.getServerCapabilities()?.tools?.listChanged !== true) return
    this.client.listen({ toolsListChanged: true }).catch(() => undefined)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    if (this.#transport instanceof StreamableHTTPClientTransport) {
      // The server may be gone; its session ends by itself then.
      await Promise.race([this.#transport.terminateSession(), delay(2_000)]).catch(() => undefined)
    }
    await this.client.close().catch(() => undefined)
  }
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref()
  })
}
