import { setTimeout } from 'node:timers/promises'
import { SingleFlight } from './single-flight.ts'

/** Milliseconds after which a process that refreshes tokens is considered dead, and the longest wait for it. */
const maxRefreshMs = 30_000
/** Milliseconds between two checks whether another process has finished. */
const pollIntervalMs = 100

/** Stores and refreshes the tokens of one connection. */
export interface LeasedTokens<Result> {
  /**
   * Reserves exactly these tokens for some milliseconds, by the database's clock. Returns when the reservation ends, or
   * undefined when another process holds them or has replaced them.
   */
  reserve(leaseMs: number): Promise<number | undefined>
  /** Gets new tokens and stores them. */
  refresh(): Promise<Result>
  /** Ends this reservation, after a failure too, but not one that another process made after it had run out. */
  release(reservedUntil: number): Promise<void>
  /** The result that another process stored; undefined while it is still refreshing. */
  findResult(): Promise<Result | undefined>
  /** Returns the result, or throws, when the other process did not finish in time. */
  onTimeout(): Result
}

export interface TokenLeaseOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Aborted when the process shuts down: waiting for another process ends with its reason. */
  readonly closing: AbortSignal
}

/**
 * Makes sure that tokens are refreshed once, even when many requests on several nodes need it: authorization servers revoke
 * the grant when a refresh token is used twice.
 */
export class TokenLeases<Result> {
  readonly #options: TokenLeaseOptions
  readonly #flights = new SingleFlight<Result>()

  constructor(options: TokenLeaseOptions) {
    this.#options = options
  }

  /** @throws whatever the functions of `tokens` throw */
  refresh(key: string, tokens: LeasedTokens<Result>): Promise<Result> {
    return this.#flights.run(key, () => this.#refreshOnce(tokens))
  }

  /** Waits until all refreshes of this process have ended, successfully or not. */
  settled(): Promise<void> {
    return this.#flights.settled()
  }

  async #refreshOnce(tokens: LeasedTokens<Result>): Promise<Result> {
    const reservedUntil = await tokens.reserve(maxRefreshMs)
    if (reservedUntil === undefined) return this.#waitForOther(tokens)
    try {
      return await tokens.refresh()
    } finally {
      await tokens.release(reservedUntil)
    }
  }

  async #waitForOther(tokens: LeasedTokens<Result>): Promise<Result> {
    const { now, closing } = this.#options
    const deadline = now() + maxRefreshMs
    while (now() < deadline) {
      const result = await tokens.findResult()
      if (result !== undefined) return result
      await setTimeout(pollIntervalMs, undefined, { signal: closing })
    }
    return tokens.onTimeout()
  }
}
