import type { GuardedFetch } from '../http/outgoing/guarded-fetch.ts'

/** What every adapter works with. */
export interface AdapterDeps {
  /** The way out, under the policy for whoever named the address. */
  readonly guard: GuardedFetch
  readonly limits?: ModelLimits
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** What an upstream is allowed to cost. Times are milliseconds; tests pass smaller ones. */
export interface ModelLimits {
  /** From the request's last byte to the answer's headers. */
  readonly firstByte: number
  /** Between two reads of the answer. */
  readonly idle: number
  /** The whole answer, repeated attempts included. */
  readonly total: number
  /** How long the end of the connection is awaited once the model has said that it finished. */
  readonly afterFinish: number
  /** Bytes of one answer, as they arrive. */
  readonly bytes: number
  /** Characters of one event of a stream. */
  readonly eventChars: number
  /** Characters of text, reasoning and tool arguments together. */
  readonly outputChars: number
  /** Tool calls in one answer. */
  readonly toolCalls: number
  /** Attempts at a request that has brought nothing yet. */
  readonly attempts: number
  /** The longest wait before another attempt; an upstream that asks for more is not asked again. */
  readonly retryWait: number
}

export const modelLimits: ModelLimits = {
  firstByte: 60_000,
  idle: 120_000,
  total: 15 * 60_000,
  afterFinish: 5_000,
  bytes: 64 * 1024 * 1024,
  eventChars: 1_000_000,
  outputChars: 2_000_000,
  toolCalls: 128,
  attempts: 3,
  retryWait: 5_000,
}
