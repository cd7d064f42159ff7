import { ConcurrencyLimiter } from './concurrency-limiter.ts'

/** Runs `work` when there is room. Rejects when too many calls wait already. */
export type BoundedRunner = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Runs at most `maxConcurrent` calls at once. When `maxWaiting` others wait, a further one rejects with `refusal()`.
 */
export function createBoundedRunner(options: {
  readonly maxConcurrent: number
  readonly maxWaiting: number
  readonly refusal: () => Error
}): BoundedRunner {
  const { maxConcurrent, maxWaiting, refusal } = options
  const limiter = new ConcurrencyLimiter()
  let calls = 0
  return async (work) => {
    if (calls >= maxConcurrent + maxWaiting) throw refusal()
    calls += 1
    try {
      const { release } = await limiter.acquire(
        [{ key: 'call', maxConcurrent }],
        new AbortController().signal,
      )
      return await work().finally(release)
    } finally {
      calls -= 1
    }
  }
}
