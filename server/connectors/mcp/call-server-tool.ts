import { UrlElicitationRequiredError, type CallToolRequest, type Tool } from '@modelcontextprotocol/client'
import type { JsonObject } from '../../lib/json-object.ts'
import { readResult, type ReadResult } from '../calls/read-result.ts'
import type { ConnectorLimits } from '../connector-limits.ts'
import type { ToolDefinition } from '../tools/tool-store.ts'
import { CallElicitations, tooManyElicitations, type ElicitingCall } from './call-elicitations.ts'
import type { ServerConnection } from './server-connection.ts'

export interface CallProgress {
  readonly progress: number
  readonly total: number | undefined
  readonly message: string | undefined
}

export interface ServerCall extends ElicitingCall {
  /** The stored definition. The request is built from it, even if the server has a newer one. */
  readonly tool: ToolDefinition
  readonly arguments: JsonObject
  readonly onProgress: (progress: CallProgress) => void
  readonly clock: CallClock
  /** Called right before the request is sent, and each time that it is sent again. */
  readonly onSend: () => void
}

/**
 * Calls a tool, with as many elicitations as the limits allow, and returns its result. When the clock's signal aborts,
 * the request is also cancelled at the server. Another round is sent only when the server has requested it.
 */
export async function callServerTool(
  connection: ServerConnection,
  call: ServerCall,
  limits: ConnectorLimits,
): Promise<ReadResult> {
  connection.resetLimits(limits.maxCallBytes)
  const elicitations = new CallElicitations(call, limits)
  connection.onLegacyElicitation = (params, signal) => elicitations.handle(params, { signal })
  connection.onPageFinished = (elicitationId) => elicitations.finishPage(elicitationId)
  try {
    let params: CallToolRequest['params'] = { name: call.tool.name, arguments: { ...call.arguments } }
    for (let round = 0; ; round++) {
      connection.responses.onCallSent = call.onSend
      const result = await sendCall(connection, params, call, elicitations)
      const needsPages = result instanceof UrlElicitationRequiredError
      if (!needsPages && result['resultType'] !== 'input_required') {
        // The SDK has read the result of a server in this process.
        return connection.responses.takeResult() ?? readResult(result, limits)
      }
      // A result may request another round without an elicitation, so the rounds are limited too.
      if (round === limits.maxElicitations) throw tooManyElicitations()
      connection.resetLimits(limits.maxCallBytes)
      if (needsPages) await elicitations.openPages(result)
      else params = await elicitations.handleAll(params, connection.responses.takeInputs() ?? result)
    }
  } catch (error) {
    throw elicitations.refused.aborted ? elicitations.refused.reason : error
  } finally {
    connection.responses.onCallSent = undefined
    connection.onLegacyElicitation = undefined
    connection.onPageFinished = undefined
    elicitations.end()
  }
}

/** Sends a call. Returns its result, or the error with which the server asks the user to open pages first. */
async function sendCall(
  connection: ServerConnection,
  params: CallToolRequest['params'],
  call: ServerCall,
  elicitations: CallElicitations,
): Promise<JsonObject | UrlElicitationRequiredError> {
  try {
    return await connection.client.callTool(params, {
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
  } catch (error) {
    if (error instanceof UrlElicitationRequiredError) return error
    throw error
  }
}

/** Gives the SDK only the parts that determine the request's headers, so that it does not validate the result. */
function toSdkTool({ name, inputSchema }: ToolDefinition): Tool {
  return { name, inputSchema: { ...inputSchema, type: 'object' } }
}

/**
 * Limits the time of a call. A message about progress restarts the idle time but not the total time. Both are paused
 * while the call waits for the user.
 */
export class CallClock {
  readonly signal: AbortSignal
  readonly #limits: Pick<ConnectorLimits, 'maxCallIdleMs' | 'maxCallMs'>
  readonly #timeout = new AbortController()
  #wasSilent = false
  /** Milliseconds before the clock last resumed, excluding pauses. */
  #earlierMs = 0
  /** When the clock last resumed, in `performance.now()` milliseconds; undefined during a pause. */
  #runningSince: number | undefined
  #isStopped = false
  #timer: NodeJS.Timeout | undefined

  /** Starts the clock. Aborting `signal` aborts the signal of the clock too. */
  constructor(limits: Pick<ConnectorLimits, 'maxCallIdleMs' | 'maxCallMs'>, signal: AbortSignal) {
    this.#limits = limits
    this.signal = AbortSignal.any([signal, this.#timeout.signal])
    this.resume()
  }

  get timedOut(): boolean {
    return this.#timeout.signal.aborted
  }

  /** Whether the call timed out because the server sent no progress for too long. */
  get wasSilent(): boolean {
    return this.#wasSilent
  }

  /** Milliseconds that have passed, excluding pauses. */
  get elapsedMs(): number {
    return this.#earlierMs + (this.#runningSince === undefined ? 0 : performance.now() - this.#runningSince)
  }

  /** Restarts the idle time. */
  touch(): void {
    if (this.#runningSince === undefined) return
    clearTimeout(this.#timer)
    const { maxCallIdleMs, maxCallMs } = this.#limits
    const remainingMs = Math.max(0, maxCallMs - this.elapsedMs)
    this.#timer = setTimeout(
      () => {
        this.#wasSilent = maxCallIdleMs < remainingMs
        this.#timeout.abort(new DOMException('The call took too long.', 'TimeoutError'))
      },
      Math.min(maxCallIdleMs, remainingMs),
    )
  }

  resume(): void {
    if (this.#isStopped || this.#runningSince !== undefined) return
    this.#runningSince = performance.now()
    this.touch()
  }

  pause(): void {
    this.#earlierMs = this.elapsedMs
    this.#runningSince = undefined
    clearTimeout(this.#timer)
  }

  /** Stops the clock for good at the end of the call; `elapsedMs` stays readable. */
  stop(): void {
    this.pause()
    this.#isStopped = true
  }
}
