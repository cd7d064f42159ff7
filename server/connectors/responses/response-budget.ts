import { setImmediate, setTimeout } from 'node:timers/promises'
import type { GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'
import { AppError } from '../../lib/app-error.ts'

/** Size of the pieces in which a response is read, so that other requests are handled in between. */
const maxPieceBytes = 8 * 1_024
/** Lines of event streams in one piece, because many short lines take longer to read than a few long ones. */
const maxPieceLines = 64
/** Lines of event streams that a budget allows; an event has three or four. */
const maxLines = 20_000
const blankLine = new TextEncoder().encode('\n\n')
/** JSON objects and arrays that a budget allows, because parsing more would block the event loop. */
const maxContainers = 500_000

/**
 * Limits what a server can send between two resets: bytes, lines of events, and JSON objects and arrays.
 */
export class ResponseBudget {
  /**
   * Makes the request fail when the budget is exceeded or a response is refused, since an error in the middle of a
   * stream would not.
   */
  onRefused: ((refusal: AppError) => void) | undefined
  #maxBytes = 0
  #bytes = 0
  #lines = 0
  #containers = 0
  #streams = 0
  /** Whether the last byte of an event stream was a CR, so that an LF after it ends no other line. */
  #endsWithCr = false

  /** Resets all counts. Until the next reset, the responses can have this many bytes in total. */
  reset(maxBytes: number): void {
    this.#maxBytes = maxBytes
    this.#bytes = 0
    this.#lines = 0
    this.#containers = 0
    this.#streams = 0
  }

  /** Counts a stream that the client opens. Returns how many it has opened before since the last reset. */
  countStream(): number {
    return this.#streams++
  }

  /** Counts a piece of a response. Returns an error when the budget is exceeded. */
  count(piece: Uint8Array, isEventStream: boolean): AppError | undefined {
    const refusal = this.#countPiece(piece, isEventStream)
    if (refusal !== undefined) this.onRefused?.(refusal)
    return refusal
  }

  /** Makes the request fail with an error that its responses have caused, and returns that error. */
  refuse(refusal: AppError): AppError {
    this.onRefused?.(refusal)
    return refusal
  }

  #countPiece(piece: Uint8Array, isEventStream: boolean): AppError | undefined {
    this.#bytes += piece.length
    if (this.#bytes > this.#maxBytes) {
      return new AppError('output_limit', `The server sent more than ${describeBytes(this.#maxBytes)}.`)
    }
    for (const byte of piece) if (byte === 0x5b || byte === 0x7b) this.#containers++
    if (this.#containers > maxContainers) {
      return new AppError('output_limit', 'The server sent a response with too many objects and lists.')
    }
    if (!isEventStream) return undefined
    this.#lines += this.#countLines(piece)
    return this.#lines > maxLines
      ? new AppError('output_limit', 'The server sent an event stream with too many lines.')
      : undefined
  }

  /** Counts the ends of lines in a piece of an event stream: LF, CR, or CR and LF. */
  #countLines(piece: Uint8Array): number {
    let lines = 0
    for (const byte of piece) {
      if (byte === cr || (byte === lf && !this.#endsWithCr)) lines++
      this.#endsWithCr = byte === cr
    }
    return lines
  }
}

const lf = 10
const cr = 13

/** Returns the length of the next piece of a response: not too many bytes, nor too many lines of an event stream. */
function pieceLength(bytes: Uint8Array, isEventStream: boolean): number {
  const maxBytes = Math.min(bytes.length, maxPieceBytes)
  if (!isEventStream) return maxBytes
  let lines = 0
  for (let at = 0; at < maxBytes; at++) {
    if ((bytes[at] === lf || bytes[at] === cr) && ++lines === maxPieceLines) return at + 1
  }
  return maxBytes
}

export interface ReconnectLimits {
  /** Milliseconds that must pass between two attempts to open a stream. */
  readonly minReconnectMs: number
  /** Attempts to reopen a stream before the budget is reset. */
  readonly maxReconnects: number
}

/**
 * Wraps a fetch so that responses count against the budget, and closed event streams are reopened with a delay and only
 * a few times. Each piece of a response is passed on when `nextTurn` resolves.
 */
export function limitResponses(
  send: GuardedFetch['fetch'],
  budget: ResponseBudget,
  limits: ReconnectLimits,
  nextTurn: () => Promise<unknown> = () => setImmediate(),
): GuardedFetch['fetch'] {
  let lastStreamAt = 0
  const waitToReopen = async (signal: AbortSignal | null | undefined): Promise<void> => {
    if (budget.countStream() > limits.maxReconnects) {
      throw new AppError('upstream_cut', 'The server closed its stream too many times. Try again later.')
    }
    const wait = lastStreamAt + limits.minReconnectMs - Date.now()
    lastStreamAt = Date.now() + Math.max(0, wait)
    if (wait > 0) await setTimeout(wait, undefined, signal ? { signal } : {})
  }
  return async (input, init) => {
    if ((init?.method ?? 'GET') === 'GET' && acceptsEvents(init)) await waitToReopen(init?.signal)
    const response = await send(input, init)
    if (response.body === null) return response
    const isEventStream = (response.headers.get('content-type') ?? '').startsWith('text/event-stream')
    return new Response(limitBody(response.body, budget, isEventStream, nextTurn), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    })
  }
}

function limitBody(
  body: ReadableStream<Uint8Array>,
  budget: ResponseBudget,
  isEventStream: boolean,
  nextTurn: () => Promise<unknown>,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let remaining: Uint8Array = new Uint8Array(0)
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (remaining.length === 0) {
        const { done, value } = await reader.read()
        if (done) {
          // Without a blank line after it, the client would drop the last event.
          if (isEventStream) controller.enqueue(blankLine)
          return controller.close()
        }
        remaining = value
      }
      await nextTurn()
      const length = pieceLength(remaining, isEventStream)
      const piece = remaining.subarray(0, length)
      remaining = remaining.subarray(length)
      const refusal = budget.count(piece, isEventStream)
      if (refusal === undefined) return controller.enqueue(piece)
      await reader.cancel(refusal).catch(() => undefined)
      throw refusal
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

function acceptsEvents(init: RequestInit | undefined): boolean {
  return new Headers(init?.headers).get('accept')?.includes('text/event-stream') === true
}

/** Formats a size, for example as "4 MiB" or "256 KiB". */
function describeBytes(bytes: number): string {
  const mebibyte = 1_024 * 1_024
  return bytes >= mebibyte ? `${Math.floor(bytes / mebibyte)} MiB` : `${Math.floor(bytes / 1_024)} KiB`
}

/**
 * Returns a fetch that uses the guard for user-supplied addresses for requests to the connector's own origin, and the
 * guard for server-supplied addresses, which trusts less, for all others.
 */
export function fetchByOrigin(
  url: URL,
  guards: Readonly<Record<'userSupplied' | 'serverSupplied', GuardedFetch>>,
): GuardedFetch['fetch'] {
  return (input, init) => {
    const requestUrl = new URL(input instanceof Request ? input.url : input)
    return guards[requestUrl.origin === url.origin ? 'userSupplied' : 'serverSupplied'].fetch(input, init)
  }
}
