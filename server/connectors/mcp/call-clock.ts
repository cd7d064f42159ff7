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
