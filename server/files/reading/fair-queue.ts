import { onAbort } from '../../lib/abort.ts'

interface Waiting {
  readonly userId: string
  readonly start: () => void
}

/**
 * Runs a few works at once, and one of each user. Who was served longest ago is next, so that a user's second work waits
 * for the first one of every other user.
 */
export class FairQueue {
  readonly #maxRunning: number
  readonly #running = new Set<string>()
  readonly #waiting: Waiting[] = []
  /** Users in the order in which their last work began, the latest at the end. Those who have nothing to do are removed. */
  readonly #served = new Set<string>()

  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning
  }

  /** Rejects with the reason of `signal` when it aborts before the work begins; `work` must observe it itself. */
  async run<Result>(userId: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    await this.#wait(userId, signal)
    try {
      return await work()
    } finally {
      this.#running.delete(userId)
      this.#startNext()
      this.#forget(userId)
    }
  }

  async #wait(userId: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: Waiting = { userId, start: resolve }
    const removeAbort = onAbort(signal, () => {
      const index = this.#waiting.indexOf(waiting)
      if (index === -1) return
      this.#waiting.splice(index, 1)
      this.#forget(userId)
      reject(signal.reason as Error)
    })
    this.#waiting.push(waiting)
    this.#startNext()
    await promise.finally(removeAbort)
  }

  #startNext(): void {
    if (this.#running.size >= this.#maxRunning) return
    const order = [...this.#served]
    const turnOf = ({ userId }: Waiting) => order.indexOf(userId)
    const next = this.#waiting
      .filter(({ userId }) => !this.#running.has(userId))
      .reduce<Waiting | undefined>(
        (first, other) => (first === undefined || turnOf(other) < turnOf(first) ? other : first),
        undefined,
      )
    if (next === undefined) return
    this.#waiting.splice(this.#waiting.indexOf(next), 1)
    this.#running.add(next.userId)
    this.#served.delete(next.userId)
    this.#served.add(next.userId)
    next.start()
    this.#startNext()
  }

  #forget(userId: string): void {
    const isBusy = this.#running.has(userId) || this.#waiting.some((waiting) => waiting.userId === userId)
    if (!isBusy) this.#served.delete(userId)
  }
}
