import { setTimeout } from 'node:timers/promises'
import { SingleFlight } from './single-flight.ts'

/** A process that refreshes tokens for longer than this is considered dead. */
const maxRefreshMs = 30_000
/** The longest wait for other processes: until one is considered dead, and another one has had the same time. */
const maxWaitMs = 2 * maxRefreshMs
/** The time between two checks whether another process has finished. */
const pollIntervalMs = 100

/** The steps of refreshing the tokens of one connection. */
export interface RefreshSteps<Result> {
  /**
   * Reserves exactly these tokens for some milliseconds, by the database's clock. Returns the time at which the
   * reservation ends, or undefined when another process holds them or has replaced them.
   */
  reserve(leaseMs: number): Promise<number | undefined>
  /** Gets new tokens and stores them. */
  refresh(): Promise<Result>
  /** Ends the reservation, after a failure too. If it has run out, one that another process has made since stays. */
  release(reservedUntil: number): Promise<void>
  /** Returns the result of another process. Undefined while it refreshes the tokens, or when it died doing so. */
  findResult(): Promise<Result | undefined>
  /** Returns the result, or throws, when no other process has finished in time. */
  onTimeout(): Result
}

export interface TokenLeaseOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Aborted when the process shuts down. A call that waits for another process then rejects with an `AbortError`. */
  readonly closing: AbortSignal
}

/**
 * Makes sure that tokens are refreshed once, even when many requests on several nodes need it: authorization servers
 * may revoke the grant when a refresh token is used twice.
 */
export class TokenLeases<Result> {
  readonly #options: TokenLeaseOptions
  readonly #flights = new SingleFlight<Result>()

  constructor(options: TokenLeaseOptions) {
    this.#options = options
  }

  /** @throws whatever the functions of `steps` throw, or an `AbortError` when the process shuts down */
  refresh(key: string, steps: RefreshSteps<Result>): Promise<Result> {
    return this.#flights.run(key, () => this.#refreshOnce(steps))
  }

  /** Waits until all refreshes of this process have ended, successfully or not. */
  settled(): Promise<void> {
    return this.#flights.settled()
  }

  async #refreshOnce(steps: RefreshSteps<Result>): Promise<Result> {
    const reservedUntil = await steps.reserve(maxRefreshMs)
    return reservedUntil === undefined
      ? this.#waitForOther(steps)
      : this.#refreshReserved(steps, reservedUntil)
  }

  async #refreshReserved(steps: RefreshSteps<Result>, reservedUntil: number): Promise<Result> {
    try {
      return await steps.refresh()
    } finally {
      await steps.release(reservedUntil)
    }
  }

  async #waitForOther(steps: RefreshSteps<Result>): Promise<Result> {
    const { now, closing } = this.#options
    const deadline = now() + maxWaitMs
    while (now() < deadline) {
      const result = await steps.findResult()
      if (result !== undefined) return result
      // Succeeds when the other process has died, as soon as its reservation has run out.
      const reservedUntil = await steps.reserve(maxRefreshMs)
      if (reservedUntil !== undefined) return this.#refreshReserved(steps, reservedUntil)
      await setTimeout(pollIntervalMs, undefined, { signal: closing })
    }
    return steps.onTimeout()
  }
}
