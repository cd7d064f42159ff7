export interface CallTimes {
  /** Milliseconds between two messages of the server. */
  readonly idle: number
  /** Milliseconds in all. */
  readonly total: number
}

/**
 * Times a call out. The idle time starts again with every message of the server, the total does not, and both stop
 * while the user is asked.
 */
export class CallClock {
  readonly signal: AbortSignal
  readonly #times: CallTimes
  readonly #timeout = new AbortController()
  #left: number
  /** When the clock last resumed, in `performance.now()` milliseconds; undefined during a pause. */
  #runningSince: number | undefined
  #idleTimer: NodeJS.Timeout | undefined
  #totalTimer: NodeJS.Timeout | undefined

  /** Starts at once. `signal` ends the call too. */
  constructor(times: CallTimes, signal: AbortSignal) {
    this.#times = times
    this.#left = times.total
    this.signal = AbortSignal.any([signal, this.#timeout.signal])
    this.resume()
  }

  get timedOut(): boolean {
    return this.#timeout.signal.aborted
  }

  /** Milliseconds that have passed, without pauses. */
  get elapsed(): number {
    const running = this.#runningSince === undefined ? 0 : performance.now() - this.#runningSince
    return this.#times.total - this.#left + running
  }

  /** Restarts the idle time. */
  touch(): void {
    if (this.#runningSince !== undefined) this.#restartIdle()
  }

  resume(): void {
    if (this.#runningSince !== undefined) return
    this.#runningSince = performance.now()
    this.#totalTimer = setTimeout(() => this.#expire(), Math.max(0, this.#left))
    this.#restartIdle()
  }

  pause(): void {
    if (this.#runningSince === undefined) return
    this.#left -= performance.now() - this.#runningSince
    this.#runningSince = undefined
    clearTimeout(this.#idleTimer)
    clearTimeout(this.#totalTimer)
  }

  /** Stops for good; `elapsed` stays. */
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
