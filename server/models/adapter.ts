import type { GuardedFetch } from '../http/outgoing/guarded-fetch.ts'
import type { ListedModels } from './catalogue/listed-models.ts'
import type { ModelEndpoint } from './endpoint.ts'
import type { DialectMemory } from './upstream/dialect-memory.ts'

/** The dependencies of every adapter. */
export interface ModelDeps {
  /** One guard for each kind of address. */
  readonly guards: Readonly<Record<ModelEndpoint['addressSource'], GuardedFetch>>
  readonly limits?: ModelLimits
  /** Without it each call finds out anew what the upstream takes. */
  readonly dialects?: DialectMemory
  readonly listedModels?: Pick<ListedModels, 'find'>
}

/** Limits of one call. Tests pass smaller ones. */
export interface ModelLimits {
  /** From the request's last byte to the response's headers. */
  readonly firstByteTimeoutMs: number
  /** From the headers to the first data of the response, and between two pieces of data. */
  readonly idleTimeoutMs: number
  /** The whole call, retries included. */
  readonly totalTimeoutMs: number
  /** How long to wait for the end of the response after the finish reason. */
  readonly afterFinishMs: number
  /** Characters of one event of a stream; a complete response may have four times as many. */
  readonly maxEventChars: number
  /** Characters of one reply: its text, reasoning and tool calls together. */
  readonly maxOutputChars: number
  /** Tool calls in one reply. */
  readonly maxToolCalls: number
  /** Attempts of one call, which is repeated only while no data of a reply has arrived. */
  readonly maxAttempts: number
  /** The longest delay before a retry. When an upstream requests a longer one, the call is not retried. */
  readonly maxRetryDelayMs: number
}

export const modelLimits: ModelLimits = {
  firstByteTimeoutMs: 60_000,
  idleTimeoutMs: 120_000,
  totalTimeoutMs: 15 * 60_000,
  afterFinishMs: 5_000,
  maxEventChars: 1_000_000,
  maxOutputChars: 2_000_000,
  maxToolCalls: 128,
  maxAttempts: 3,
  maxRetryDelayMs: 5_000,
}
