import type { ElicitationAnswer } from '@yonder/contract/elicitation'
import type { CallToolRequest, Tool } from '@modelcontextprotocol/client'
import { AppError } from '../../lib/app-error.ts'
import type { ConnectorLimits } from '../connector-limits.ts'
import type { ToolDefinition } from '../tools/tool-store.ts'
import type { ServerConnection } from './server-connection.ts'

type JsonObject = Readonly<Record<string, unknown>>

export interface CallProgress {
  readonly progress: number
  readonly total: number | undefined
  readonly message: string | undefined
}

export interface ServerCall {
  /** The definition that was approved. The request is built from it, not from a newer one. */
  readonly tool: ToolDefinition
  readonly arguments: JsonObject
  readonly onProgress: (progress: CallProgress) => void
  /** Asks the user; `params` is unvalidated data from the server. Never rejects. */
  readonly onElicit: (params: unknown, signal: AbortSignal) => Promise<ElicitationAnswer>
  readonly clock: CallClock
}

/**
 * Calls a tool, with as many elicitations as the limits allow, and returns the raw result. The clock's signal also
 * cancels the request at the server. The call is never repeated (§18.24).
 */
export async function callServerTool(
  connection: ServerConnection,
  call: ServerCall,
  limits: ConnectorLimits,
): Promise<JsonObject> {
  connection.allow(limits.maxCallBytes)
  const elicitations = new Elicitations(call, limits)
  connection.elicitation = (params, signal) => elicitations.ask(params, signal)
  try {
    let params: CallToolRequest['params'] = { name: call.tool.name, arguments: { ...call.arguments } }
    for (let round = 0; ; round++) {
      connection.results.takeCall()
      const answer: JsonObject = await connection.client.callTool(params, {
        signal: AbortSignal.any([call.clock.signal, elicitations.refused]),
        // The clock times the call out; it excludes the time spent waiting for the user.
        timeout: 2 ** 31 - 1,
        allowInputRequired: true,
        toolDefinition: asTool(call.tool),
        onprogress: ({ progress, total, message }) => {
          call.clock.touch()
          call.onProgress({ progress, total, message })
        },
      })
      if (answer['resultType'] !== 'input_required') return connection.results.takeCall() ?? answer
      if (round === limits.maxElicitationRounds) throw tooManyElicitations()
      connection.allow(limits.maxCallBytes)
      params = await elicitations.answerAll(params, answer)
    }
  } catch (error) {
    throw elicitations.refused.aborted ? elicitations.refused.reason : error
  } finally {
    connection.elicitation = undefined
    elicitations.end()
  }
}

/** Gives the SDK only the parts that determine the request's headers, so it does not validate the result. */
function asTool({ name, inputSchema }: ToolDefinition): Tool {
  return { name, inputSchema: { ...inputSchema, type: 'object' } }
}

function tooManyElicitations(): AppError {
  return new AppError('upstream_invalid', 'The tool asked too many questions.')
}

/** Handles the elicitations of one call, one after the other and at most `maxElicitationRounds`. */
class Elicitations {
  readonly #call: ServerCall
  readonly #limits: ConnectorLimits
  readonly #ended = new AbortController()
  readonly #refused = new AbortController()
  #count = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(call: ServerCall, limits: ConnectorLimits) {
    this.#call = call
    this.#limits = limits
  }

  /** Aborted when the server sends too many elicitations, so that the call fails. */
  get refused(): AbortSignal {
    return this.#refused.signal
  }

  /** Cancels pending elicitations. */
  end(): void {
    this.#ended.abort()
  }

  async ask(params: unknown, signal?: AbortSignal): Promise<ElicitationAnswer> {
    if (++this.#count > this.#limits.maxElicitationRounds) {
      this.#refused.abort(tooManyElicitations())
      return { action: 'cancel' }
    }
    const previous = this.#last
    const answer = previous.then(() => this.#askNow(params, signal))
    this.#last = answer
    return answer
  }

  async #askNow(params: unknown, signal: AbortSignal | undefined): Promise<ElicitationAnswer> {
    const { clock, onElicit } = this.#call
    const timeout = AbortSignal.timeout(this.#limits.maxElicitationMs)
    const signals = [
      clock.signal,
      timeout,
      this.#ended.signal,
      this.refused,
      ...(signal === undefined ? [] : [signal]),
    ]
    const cancelSignal = AbortSignal.any(signals)
    if (cancelSignal.aborted) return { action: 'cancel' }
    clock.pause()
    try {
      return await Promise.race([onElicit(params, cancelSignal), cancelled(cancelSignal)])
    } finally {
      clock.resume()
    }
  }

  /** Asks the user and returns the parameters of the next round: the same call with the user's answers. */
  async answerAll(params: CallToolRequest['params'], answer: JsonObject): Promise<CallToolRequest['params']> {
    const responses: Record<string, ElicitationAnswer> = {}
    const requests = Object.entries((answer['inputRequests'] ?? {}) as JsonObject)
    if (requests.length > this.#limits.maxElicitationRounds) throw tooManyElicitations()
    for (const [key, request] of requests) {
      const { method, params: elicitation } = (request ?? {}) as { method?: unknown; params?: unknown }
      if (method !== 'elicitation/create') {
        throw new AppError('upstream_invalid', 'The tool asks for something that it cannot get here.')
      }
      responses[key] = await this.ask(elicitation)
    }
    const { requestState } = answer
    const next = {
      name: params.name,
      arguments: params.arguments,
      inputResponses: responses,
      ...(requestState === undefined ? {} : { requestState }),
    }
    return next
  }
}

function cancelled(signal: AbortSignal): Promise<ElicitationAnswer> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ action: 'cancel' }), { once: true })
  })
}

export interface CallTimes {
  /** Milliseconds that may pass between two messages of the server. */
  readonly idle: number
  /** Milliseconds that the whole call may take. */
  readonly total: number
}

/**
 * Limits the time of a call. Every message of the server restarts the idle time but not the total time. Both are paused
 * while the call waits for the user.
 */
export class CallClock {
  readonly signal: AbortSignal
  readonly #times: CallTimes
  readonly #timeout = new AbortController()
  #remainingMs: number
  /** When the clock last resumed, in `performance.now()` milliseconds; undefined during a pause. */
  #runningSince: number | undefined
  #idleTimer: NodeJS.Timeout | undefined
  #totalTimer: NodeJS.Timeout | undefined

  /** Starts the clock. Aborting `signal` aborts the signal of the clock too. */
  constructor(times: CallTimes, signal: AbortSignal) {
    this.#times = times
    this.#remainingMs = times.total
    this.signal = AbortSignal.any([signal, this.#timeout.signal])
    this.resume()
  }

  get timedOut(): boolean {
    return this.#timeout.signal.aborted
  }

  /** Milliseconds that have passed, excluding pauses. */
  get elapsed(): number {
    const running = this.#runningSince === undefined ? 0 : performance.now() - this.#runningSince
    return this.#times.total - this.#remainingMs + running
  }

  /** Restarts the idle time. */
  touch(): void {
    if (this.#runningSince !== undefined) this.#restartIdle()
  }

  resume(): void {
    if (this.#runningSince !== undefined) return
    this.#runningSince = performance.now()
    this.#totalTimer = setTimeout(() => this.#expire(), Math.max(0, this.#remainingMs))
    this.#restartIdle()
  }

  pause(): void {
    if (this.#runningSince === undefined) return
    this.#remainingMs -= performance.now() - this.#runningSince
    this.#runningSince = undefined
    clearTimeout(this.#idleTimer)
    clearTimeout(this.#totalTimer)
  }

  /** Stops the clock at the end of the call; `elapsed` stays readable. */
  stop(): void {
    this.pause()
  }

  #restartIdle(): void {
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => this.#expire(), this.#times.idle)
  }

  #expire(): void {
    this.#timeout.abort(new DOMException('The call took too long.', 'TimeoutError'))
  }
}
