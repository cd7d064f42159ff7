import { LRUCache } from 'lru-cache'
import type { AppError } from '../../lib/app-error.ts'

const minPauseMs = 1_000
const maxPauseMs = 60_000
/** Keys whose failures are remembered; beyond that, the least recent are dropped. */
const maxKeys = 10_000

interface Failures {
  readonly count: number
  /** The end of the pause, in milliseconds since 1970. */
  readonly until: number
  readonly error: AppError
}

/**
 * Refuses the requests of a connector during a pause after each failure in a row: 1, 2, 4 … 60 seconds, up to a quarter
 * more or less at random.
 */
export class Backoff {
  readonly #failures = new LRUCache<string, Failures>({ max: maxKeys })
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** @throws the last failure while the pause after it lasts */
  throwIfPaused(key: string): void {
    const failures = this.#failures.peek(key)
    if (failures !== undefined && failures.until > this.#now()) throw failures.error
  }

  recordFailure(key: string, error: AppError): void {
    const count = (this.#failures.peek(key)?.count ?? 0) + 1
    const pause = Math.min(maxPauseMs, minPauseMs * 2 ** (count - 1)) * (0.75 + Math.random() / 2)
    this.#failures.set(key, { count, until: this.#now() + pause, error })
  }

  /** Removes the failures of a key, when its server works again or its user retries by hand. */
  reset(key: string): void {
    this.#failures.delete(key)
  }
}
