import { setImmediate, setTimeout } from 'node:timers/promises'
import { RoundRobin } from '../../lib/round-robin.ts'

/** The part of the event loop's time that reading the responses of all servers may take. */
const maxShare = 0.25
/** Milliseconds of reading without a pause, so that ordinary responses are not delayed. */
const burstMs = 2
/** Milliseconds that one piece counts at most, because other callbacks may run before its end is noticed. */
const maxPieceMs = 20

/** A clock and its pauses, in milliseconds. */
export interface Clock {
  now(): number
  pause(milliseconds: number): Promise<unknown>
}

const realClock: Clock = { now: () => performance.now(), pause: (milliseconds) => setTimeout(milliseconds) }

/**
 * Shares the event loop between the responses of servers and all other work of the process. Responses are read in
 * pieces; one piece of one user is read at a time, users take turns, and pauses leave the larger part of the event loop
 * to other requests.
 */
export class ResponseScheduler {
  readonly #clock: Clock
  readonly #waiting = new RoundRobin<() => void>()
  #isRunning = false
  /** The time, in milliseconds of the clock, from which the reading so far is within its share. */
  #withinShareAt = 0

  constructor(clock: Clock = realClock) {
    this.#clock = clock
  }

  /**
   * Resolves when this user's next piece may be read, which must be read in the turn of the event loop in which this
   * resolves.
   */
  next(userId: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(userId, resolve)
      if (!this.#isRunning) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    const { now, pause } = this.#clock
    for (let start = this.#waiting.take(); start !== undefined; start = this.#waiting.take()) {
      const excessMs = this.#withinShareAt - now() - burstMs / maxShare
      if (excessMs > 0) await pause(excessMs)
      const startedAt = now()
      start()
      // Everything that reads the piece runs in microtasks, so it has ended after this.
      await setImmediate()
      const usedMs = Math.min(now() - startedAt, maxPieceMs)
      this.#withinShareAt = Math.max(this.#withinShareAt, startedAt) + usedMs / maxShare
    }
    this.#isRunning = false
  }
}
