import { setImmediate, setTimeout } from 'node:timers/promises'
import type { GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'
import { AppError } from '../../lib/app-error.ts'

/** Bytes that are handed on before other people's work gets its turn. */
const pieceBytes = 8 * 1_024
/** Lines of event streams that one request may bring; an event has three or four. */
const mostLines = 20_000
/** Lists and objects of JSON in the answers to one request: reading more of them stops everything else for too long. */
const mostContainers = 500_000

export interface AnswerMeterOptions {
  readonly fetch: GuardedFetch['fetch']
  /** Milliseconds between two attempts to open a stream again. */
  readonly reconnect: number
  /** Attempts to open a stream again between two requests. */
  readonly reconnects: number
}

/**
 * The way to one server, with a budget for what it may answer: bytes, lines and parts until the next `allow`, streams that are
 * opened again slowly and seldom, and never so much at once that others wait.
 */
export class AnswerMeter {
  /** Told when an answer is cut off: in the middle of a stream nobody else would be. */
  onRefusal: ((refusal: AppError) => void) | undefined
  readonly #options: AnswerMeterOptions
  #bytes = 0
  #lines = 0
  #containers = 0
  #streams = 0
  #lastStream = 0
  #allowed = 0

  constructor(options: AnswerMeterOptions) {
    this.#options = options
  }

  /** A new request begins, whose answers may have this many bytes together. */
  allow(bytes: number): void {
    this.#allowed = bytes
    this.#bytes = 0
    this.#lines = 0
    this.#containers = 0
    this.#streams = 0
  }

  readonly fetch: GuardedFetch['fetch'] = async (input, init) => {
    if ((init?.method ?? 'GET') === 'GET' && wantsEvents(init)) await this.#spaceStreams(init?.signal)
    const answer = await this.#options.fetch(input, init)
    if (answer.body === null) return answer
    const isStream = (answer.headers.get('content-type') ?? '').startsWith('text/event-stream')
    const body = this.#meter(answer.body, isStream)
    return new Response(body, {
      status: answer.status,
      statusText: answer.statusText,
      headers: answer.headers,
    })
  }

  async #spaceStreams(signal: AbortSignal | null | undefined): Promise<void> {
    if (this.#streams++ > this.#options.reconnects) {
      throw new AppError('upstream_cut', 'The connector breaks its stream again and again.')
    }
    const wait = this.#lastStream + this.#options.reconnect - Date.now()
    this.#lastStream = Date.now() + Math.max(0, wait)
    if (wait > 0) await setTimeout(wait, undefined, signal ? { signal } : {})
  }

  #meter(body: ReadableStream<Uint8Array>, isStream: boolean): ReadableStream<Uint8Array> {
    const reader = body.getReader()
    let rest: Uint8Array = new Uint8Array(0)
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        if (rest.length === 0) {
          const { done, value } = await reader.read()
          if (done) return controller.close()
          rest = value
        } else {
          await setImmediate()
        }
        const piece = rest.subarray(0, pieceBytes)
        rest = rest.subarray(pieceBytes)
        const refusal = this.#count(piece, isStream)
        if (refusal === undefined) return controller.enqueue(piece)
        this.onRefusal?.(refusal)
        await reader.cancel(refusal).catch(() => undefined)
        throw refusal
      },
      cancel: (reason) => reader.cancel(reason),
    })
  }

  #count(piece: Uint8Array, isStream: boolean): AppError | undefined {
    this.#bytes += piece.length
    if (this.#bytes > this.#allowed) {
      return new AppError('output_limit', `The connector sent more than ${describeBytes(this.#allowed)}.`)
    }
    for (const byte of piece) if (byte === 0x5b || byte === 0x7b) this.#containers++
    if (this.#containers > mostContainers) {
      return new AppError('output_limit', 'The connector sent an answer of too many parts.')
    }
    if (!isStream) return undefined
    for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) this.#lines++
    return this.#lines > mostLines
      ? new AppError('output_limit', 'The connector sent too many events.')
      : undefined
  }
}

function wantsEvents(init: RequestInit | undefined): boolean {
  return new Headers(init?.headers).get('accept')?.includes('text/event-stream') === true
}

/** "4 MiB", "256 KiB". */
export function describeBytes(bytes: number): string {
  const mebibyte = 1_024 * 1_024
  return bytes >= mebibyte ? `${Math.floor(bytes / mebibyte)} MiB` : `${Math.floor(bytes / 1_024)} KiB`
}
