import type { AppError } from '../../lib/app-error.ts'

/** Milliseconds of the first pause, and of the longest. */
const firstPause = 1_000
const longestPause = 60_000
/** Keys that are remembered; the oldest are forgotten. */
const mostKeys = 10_000

interface Failures {
  readonly count: number
  readonly until: number
  readonly error: AppError
}

/** Keeps a server that fails from being asked again at once: 1, 2, 4 … 60 seconds, a little by chance. */
export class RetryGate {
  readonly #failures = new Map<string, Failures>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** Throws what went wrong last while the pause lasts. */
  require(key: string): void {
    const failures = this.#failures.get(key)
    if (failures !== undefined && failures.until > this.#now()) throw failures.error
  }

  failed(key: string, error: AppError): void {
    const count = (this.#failures.get(key)?.count ?? 0) + 1
    const pause = Math.min(longestPause, firstPause * 2 ** (count - 1)) * (0.75 + Math.random() / 2)
    this.#failures.delete(key)
    this.#failures.set(key, { count, until: this.#now() + pause, error })
    const [oldest] = this.#failures.keys()
    if (this.#failures.size > mostKeys && oldest !== undefined) this.#failures.delete(oldest)
  }

  /** It works again, or a person wants it tried now. */
  reset(key: string): void {
    this.#failures.delete(key)
  }
}
