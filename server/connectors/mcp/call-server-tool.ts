import type { ElicitationAnswer } from '@yonder/contract/elicitation'
import type { CallToolRequest, Tool } from '@modelcontextprotocol/client'
import { linkSignal, onAbort } from '../../lib/abort.ts'
import { AppError } from '../../lib/app-error.ts'
import type { ConnectorLimits } from '../connector-limits.ts'
import { readResult } from '../calls/read-result.ts'
import type { ReadResult } from '../calls/read-result.ts'
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
  /** Passes an elicitation to the user; `params` is unvalidated data from the server. Never rejects. */
  readonly onElicit: (params: unknown, signal: AbortSignal) => Promise<ElicitationAnswer>
  readonly clock: CallClock
  /** Called right before the request is sent. */
  readonly onSend: () => void
}

/**
 * Calls a tool, with as many elicitations as the limits allow, and returns its result. The clock's signal also
 * cancels the request at the server. The call is never repeated (§18.24).
 */
export async function callServerTool(
  connection: ServerConnection,
  call: ServerCall,
  limits: ConnectorLimits,
): Promise<ReadResult> {
  connection.startRequest(limits.maxCallBytes)
  const elicitations = new Elicitations(call, limits)
  connection.onLegacyElicitation = (params, signal) => elicitations.handle(params, signal)
  try {
    let params: CallToolRequest['params'] = { name: call.tool.name, arguments: { ...call.arguments } }
    for (let round = 0; ; round++) {
      connection.results.clear()
      call.onSend()
      const result: JsonObject = await connection.client.callTool(params, {
        signal: AbortSignal.any([call.clock.signal, elicitations.refused]),
        // The clock times the call out; it excludes the time spent waiting for the user.
        timeout: 2 ** 31 - 1,
        allowInputRequired: true,
        toolDefinition: toSdkTool(call.tool),
        onprogress: ({ progress, total, message }) => {
          call.clock.touch()
          call.onProgress({ progress, total, message })
        },
      })
      if (result['resultType'] !== 'input_required') {
        return (await connection.results.consumeCallResult()) ?? (await readResult(result, limits))
      }
      if (round === limits.maxElicitationRounds) throw tooManyElicitations()
      connection.startRequest(limits.maxCallBytes)
      params = await elicitations.handleAll(params, result)
    }
  } catch (error) {
    throw elicitations.refused.aborted ? elicitations.refused.reason : error
  } finally {
    connection.onLegacyElicitation = undefined
    elicitations.end()
  }
}

/** Gives the SDK only the parts that determine the request's headers, so that it does not validate the result. */
function toSdkTool({ name, inputSchema }: ToolDefinition): Tool {
  return { name, inputSchema: { ...inputSchema, type: 'object' } }
}

function tooManyElicitations(): AppError {
  return new AppError('upstream_invalid', 'The tool requested input from the user too many times.')
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

  /** Returns the user's answer to an elicitation, after those before it. Aborting `signal` cancels it. */
  async handle(params: unknown, signal?: AbortSignal): Promise<ElicitationAnswer> {
    if (++this.#count > this.#limits.maxElicitationRounds) {
      this.#refused.abort(tooManyElicitations())
      return { action: 'cancel' }
    }
    const previous = this.#last
    const answer = previous.then(() => this.#waitForUser(params, signal))
    this.#last = answer
    return answer
  }

  async #waitForUser(params: unknown, signal: AbortSignal | undefined): Promise<ElicitationAnswer> {
    const { clock, onElicit } = this.#call
    const linked = linkSignal(clock.signal, this.#limits.maxElicitationMs)
    const cancels = [this.#ended.signal, this.refused, ...(signal === undefined ? [] : [signal])]
    const removals = cancels.map((each) => onAbort(each, () => linked.abort()))
    try {
      if (linked.signal.aborted) return { action: 'cancel' }
      clock.pause()
      return await Promise.race([onElicit(params, linked.signal), cancelled(linked.signal)])
    } finally {
      clock.resume()
      for (const remove of removals) remove()
      linked.release()
    }
  }

  /** Handles the elicitations of a result and returns the parameters of the next round: the same call with the answers. */
  async handleAll(params: CallToolRequest['params'], result: JsonObject): Promise<CallToolRequest['params']> {
    const responses: Record<string, ElicitationAnswer> = {}
    const requests = Object.entries((result['inputRequests'] ?? {}) as JsonObject)
    if (requests.length > this.#limits.maxElicitationRounds) throw tooManyElicitations()
    for (const [key, request] of requests) {
      const { method, params: elicitation } = (request ?? {}) as { method?: unknown; params?: unknown }
      if (method !== 'elicitation/create') {
        throw new AppError('upstream_invalid', 'The tool sent a request that is not supported.')
      }
      responses[key] = await this.handle(elicitation)
    }
    const { requestState } = result
    // A variable, because the SDK's type does not list `inputResponses`.
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
    onAbort(signal, () => resolve({ action: 'cancel' }))
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
  #isStopped = false
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
    if (this.#isStopped || this.#runningSince !== undefined) return
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

  /** Stops the clock for good at the end of the call; `elapsed` stays readable. */
  stop(): void {
    this.pause()
    this.#isStopped = true
  }

  #restartIdle(): void {
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => this.#expire(), this.#times.idle)
  }

  #expire(): void {
    this.#timeout.abort(new DOMException('The call took too long.', 'TimeoutError'))
  }
}
