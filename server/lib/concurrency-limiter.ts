export interface ConcurrencyLimit {
  readonly key: string
  readonly most: number
}

interface Waiting {
  readonly limits: readonly ConcurrencyLimit[]
  readonly start: () => void
}

/** Lets so many calls run at once for each key; further ones wait for their turn, in order. */
export class ConcurrencyLimiter {
  readonly #running = new Map<string, number>()
  readonly #waiting = new Set<Waiting>()

  /** Resolves with the function that gives the slots back. Rejects when `signal` aborts first. */
  async take(limits: readonly ConcurrencyLimit[], signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#waiting.size > 0 || !this.#isFree(limits)) await this.#wait(limits, signal)
    else this.#count(limits, 1)
    let given = false
    return () => {
      if (given) return
      given = true
      this.#count(limits, -1)
      this.#startWaiting()
    }
  }

  #wait(limits: readonly ConcurrencyLimit[], signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        limits,
        start: () => {
          signal.removeEventListener('abort', leave)
          resolve()
        },
      }
      const leave = (): void => {
        this.#waiting.delete(waiting)
        reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.add(waiting)
      this.#startWaiting()
    })
  }

  /** Whoever can start does, so that one person's full queue holds nobody else up. */
  #startWaiting(): void {
    for (const waiting of this.#waiting) {
      if (!this.#isFree(waiting.limits)) continue
      this.#waiting.delete(waiting)
      this.#count(waiting.limits, 1)
      waiting.start()
    }
  }

  #isFree(limits: readonly ConcurrencyLimit[]): boolean {
    return limits.every(({ key, most }) => (this.#running.get(key) ?? 0) < most)
  }

  #count(limits: readonly ConcurrencyLimit[], by: number): void {
    for (const { key } of limits) {
      const count = (this.#running.get(key) ?? 0) + by
      if (count === 0) this.#running.delete(key)
      else this.#running.set(key, count)
    }
  }
}
