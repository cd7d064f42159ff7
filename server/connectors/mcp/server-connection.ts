import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Client,
  type Transport,
} from '@modelcontextprotocol/client'
import type { AppError } from '../../lib/app-error.ts'
import type { SentAnswer } from '../calls/elicitation-form.ts'
import type { ResponseBudget } from '../responses/response-budget.ts'
import type { ResponseReader } from '../responses/response-reader.ts'
import { certainlyNotRun, mayBeLostSession } from './explain-failure.ts'

/** Milliseconds that a server may take to end a session. */
const sessionEndTimeoutMs = 2_000
const pingTimeoutMs = 5_000

/** An open connection, used for one request at a time. */
export class ServerConnection {
  /**
   * Handles an elicitation that a legacy server sends during a call; `params` is unvalidated data from the server.
   * Undefined between calls.
   */
  onLegacyElicitation: ((params: unknown, signal: AbortSignal) => Promise<SentAnswer>) | undefined
  /** Called when a legacy server reports that the user has finished on a page; undefined between calls. */
  onPageFinished: ((elicitationId: string) => void) | undefined
  /** The error with which the connection was closed because of what its server sent, or did not send. */
  refusal: AppError | undefined
  readonly client: Client
  readonly responses: ResponseReader
  readonly #transport: Transport
  readonly #budget: ResponseBudget
  /** With HTTP+SSE the stream is the session. */
  readonly #streamId: string | undefined
  readonly #onReset: () => void
  #closed = false

  /** `onReset` resets the limits that are not part of `budget`. */
  constructor(
    client: Client,
    transport: Transport,
    responses: ResponseReader,
    budget: ResponseBudget,
    onReset: () => void,
  ) {
    this.client = client
    this.responses = responses
    this.#transport = transport
    this.#budget = budget
    this.#streamId = transport instanceof SSEClientTransport ? randomUUID() : undefined
    this.#onReset = onReset
    budget.onRefused = (refusal) => {
      this.refusal ??= refusal
      // Makes the pending request fail.
      void this.client.close()
    }
    Object.assign(client, {
      onclose: () => {
        this.#closed = true
      },
      // Ignored, since every failure that matters also makes a request fail.
      onerror: () => undefined,
    })
    client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
      // An aborted request may still elicit. Its answer must not be given by mistake in a later one.
      const { belongs, written } = this.responses.takeElicitation(mcpReq.id)
      const answer = belongs ? await this.onLegacyElicitation?.(written ?? params, mcpReq.signal) : undefined
      return this.responses.holdAnswer(mcpReq.id, answer ?? { action: 'decline' })
    })
    client.setNotificationHandler('notifications/elicitation/complete', ({ params }) =>
      this.onPageFinished?.(params.elicitationId),
    )
  }

  get era(): 'modern' | 'legacy' {
    return this.client.getProtocolEra() ?? 'legacy'
  }

  /** The server's session of this connection, which it may lose; undefined when it has none. */
  get sessionId(): string | undefined {
    return this.#transport.sessionId ?? this.#streamId
  }

  /** False once the connection has broken or was closed. */
  get usable(): boolean {
    return !this.#closed
  }

  /** Resets the limits of the connection. Until the next reset, the responses can have this many bytes in total. */
  resetLimits(maxBytes: number): void {
    this.#budget.reset(maxBytes)
    this.#onReset()
  }

  /** Until the next reset, the server can send this much each minute, since its session may be kept for days. */
  limitIdle(maxBytesPerMinute: number): void {
    this.#budget.reset(maxBytesPerMinute, 60_000)
  }

  /** Resolves when the cancellations of aborted requests have reached the server, or after `maxMs`. */
  waitForCancellations(maxMs: number): Promise<unknown> {
    return this.responses.waitForCancellations(maxMs)
  }

  /**
   * Finds out after a failed request whether the server has lost the session, by a request that changes nothing. With
   * `before_request` the failed one has certainly not run, because the server refused both in the same way.
   */
  async checkSession(error: unknown, signal: AbortSignal): Promise<'kept' | 'lost' | 'before_request'> {
    if (!this.usable) return 'lost'
    if (signal.aborted || !mayBeLostSession(error)) return 'kept'
    try {
      await this.client.ping({ timeout: pingTimeoutMs, signal })
      return 'kept'
    } catch (refusal) {
      if (!mayBeLostSession(refusal)) return this.usable ? 'kept' : 'lost'
      return certainlyNotRun(error, refusal) ? 'before_request' : 'lost'
    }
  }

  /**
   * Opens the stream on which modern servers announce changes. If that fails, the list is refreshed when it expires.
   */
  listen(): void {
    if (this.era !== 'modern' || this.client.getServerCapabilities()?.tools?.listChanged !== true) return
    this.client.listen({ toolsListChanged: true }).catch(() => undefined)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.waitForCancellations(sessionEndTimeoutMs)
    if (this.#transport instanceof StreamableHTTPClientTransport) {
      // If the server does not respond, its session expires by itself.
      await Promise.race([
        this.#transport.terminateSession(),
        delay(sessionEndTimeoutMs, undefined, { ref: false }),
      ]).catch(() => undefined)
    }
    await this.client.close().catch(() => undefined)
  }
}
