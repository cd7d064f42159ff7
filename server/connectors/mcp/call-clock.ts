export interface CallTimes {
  /** Milliseconds between two signs of life. */
  readonly idle: number
  /** Milliseconds in all. */
  readonly total: number
}

/**
 * The time that a call may take: idle time begins again with every sign of life, the total does not, and neither runs
 * while a person is asked.
 */
export class CallClock {
  readonly signal: AbortSignal
  readonly #times: CallTimes
  readonly #timeout = new AbortController()
  #left: number
  /** By a clock that nobody sets back. */
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

  /** Milliseconds that the clock has run. */
  get elapsed(): number {
    const running = this.#runningSince === undefined ? 0 : performance.now() - this.#runningSince
    return this.#times.total - this.#left + running
  }

  /** A sign of life came. */
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
