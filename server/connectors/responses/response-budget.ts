import { AppError } from '../../lib/app-error.ts'
import { tooLong } from '../../lib/read-capped.ts'

/** Size of the pieces in which a response is read, so that other requests are handled in between. */
const maxPieceBytes = 8 * 1_024
/** Lines of event streams in one piece, because many short lines take longer to read than a few long ones. */
const maxPieceLines = 64
/** Lines of event streams that a budget allows; an event has three or four. */
const maxLines = 20_000
/** Messages about progress that count neither as bytes nor as lines. */
const progressBurst = 1_000
const progressPerSecond = 50
const maxProgressBytes = 4 * 1_024
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
  #windowMs: number | undefined
  #windowStart = 0
  #bytes = 0
  #lines = 0
  #containers = 0
  #streams = 0
  #progress = 0
  /** Whether the last byte of an event stream was a CR, so that an LF after it ends no other line. */
  #endsWithCr = false

  /**
   * Resets all counts. Until the next reset, the responses can have this many bytes in total, or in each `windowMs`
   * milliseconds.
   */
  reset(maxBytes: number, windowMs?: number): void {
    this.#maxBytes = maxBytes
    this.#windowMs = windowMs
    this.#windowStart = performance.now()
    this.#bytes = 0
    this.#lines = 0
    this.#containers = 0
    this.#streams = 0
    this.#progress = 0
  }

  /** Counts a stream that the client opens. Returns how many it has opened before since the last reset. */
  countStream(): number {
    this.#renew()
    return this.#streams++
  }

  #renew(): void {
    if (this.#windowMs !== undefined && performance.now() - this.#windowStart >= this.#windowMs)
      this.reset(this.#maxBytes, this.#windowMs)
  }

  /** Whether this many more bytes would exceed the budget. */
  isExceededBy(bytes: number): boolean {
    return this.#bytes + bytes > this.#maxBytes
  }

  /**
   * Takes back the count of a message about progress, since a call may send them for an hour. A server that sends too
   * many of them, or too large ones, gets nothing back.
   */
  uncountProgress(bytes: number, lines: number): void {
    const seconds = (performance.now() - this.#windowStart) / 1_000
    if (bytes > maxProgressBytes || ++this.#progress > progressBurst + seconds * progressPerSecond) return
    this.#bytes -= bytes
    this.#lines -= lines
  }

  /** Counts a piece of a response. Returns an error when the budget is exceeded. */
  count(piece: Uint8Array, isEventStream: boolean): AppError | undefined {
    this.#renew()
    this.#bytes += piece.length
    if (this.#bytes > this.#maxBytes) return this.refuse(tooLong(this.#maxBytes))
    for (const byte of piece) {
      if (byte === 0x5b || byte === 0x7b) this.#containers++
      if (!isEventStream) continue
      // A line ends with LF, CR, or CR and LF.
      if (byte === cr || (byte === lf && !this.#endsWithCr)) this.#lines++
      this.#endsWithCr = byte === cr
    }
    const excess =
      this.#containers > maxContainers
        ? 'a response with too many objects and lists'
        : this.#lines > maxLines
          ? 'an event stream with too many lines'
          : undefined
    return excess && this.refuse(new AppError('output_limit', `The server sent ${excess}.`))
  }

  /** Makes the request fail with an error that its responses have caused, and returns that error. */
  refuse(refusal: AppError): AppError {
    this.onRefused?.(refusal)
    return refusal
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

/** Reads a body in pieces that count against the budget, each in a turn of its own. */
export async function* readPieces(
  body: ReadableStream<Uint8Array>,
  budget: ResponseBudget,
  isEventStream: boolean,
  nextTurn: () => Promise<unknown>,
  /** Asked when the response exceeds the budget. With true it ends there, and is no error. */
  mayCut: () => boolean = () => false,
): AsyncIterable<Uint8Array> {
  for await (let remaining of body) {
    while (remaining.length > 0) {
      await nextTurn()
      const length = pieceLength(remaining, isEventStream)
      if (budget.isExceededBy(length) && mayCut()) return
      const refusal = budget.count(remaining.subarray(0, length), isEventStream)
      if (refusal !== undefined) throw refusal
      yield remaining.subarray(0, length)
      remaining = remaining.subarray(length)
    }
  }
  // Without a blank line after it, the last event would be dropped.
  if (isEventStream) yield blankLine
}
