import { onAbort } from './abort.ts'

export interface ConcurrencyLimit {
  readonly key: string
  readonly maxConcurrent: number
}

export interface Acquired {
  /** Whether the call waited, or came while others waited. If so, what its caller checked before may have changed. */
  readonly waited: boolean
  /** Frees the place of this call, so that waiting ones can start. Calling it again does nothing. */
  readonly release: () => void
}

interface Waiting {
  readonly limits: readonly ConcurrencyLimit[]
  readonly start: () => void
}

/**
 * Limits how many calls run at once. A call may be subject to several limits and waits until all of them allow it.
 * Libraries have one limit per queue, so a call with three limits would occupy one queue while it waits for another.
 */
export class ConcurrencyLimiter {
  readonly #running = new Map<string, number>()
  readonly #waiting = new Set<Waiting>()

  /** Resolves when every limit has room. Rejects when `signal` aborts first. */
  async acquire(limits: readonly ConcurrencyLimit[], signal: AbortSignal): Promise<Acquired> {
    signal.throwIfAborted()
    const waited = this.#waiting.size > 0 || !this.#hasRoom(limits)
    if (waited) await this.#wait(limits, signal)
    else this.#count(limits, 1)
    let released = false
    return {
      waited,
      release: () => {
        if (released) return
        released = true
        this.#count(limits, -1)
        this.#startWaiting()
      },
    }
  }

  #wait(limits: readonly ConcurrencyLimit[], signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: Waiting = { limits, start: resolve }
    const removeAbort = onAbort(signal, () => {
      this.#waiting.delete(waiting)
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
    })
    this.#waiting.add(waiting)
    this.#startWaiting()
    return promise.finally(removeAbort)
  }

  /** Starts every call that has room, so that one user's full queue does not block the others. */
  #startWaiting(): void {
    for (const waiting of this.#waiting) {
      if (!this.#hasRoom(waiting.limits)) continue
      this.#waiting.delete(waiting)
      this.#count(waiting.limits, 1)
      waiting.start()
    }
  }

  #hasRoom(limits: readonly ConcurrencyLimit[]): boolean {
    return limits.every(({ key, maxConcurrent }) => (this.#running.get(key) ?? 0) < maxConcurrent)
  }

  #count(limits: readonly ConcurrencyLimit[], by: number): void {
    for (const { key } of limits) {
      const count = (this.#running.get(key) ?? 0) + by
      if (count === 0) this.#running.delete(key)
      else this.#running.set(key, count)
    }
  }
}
