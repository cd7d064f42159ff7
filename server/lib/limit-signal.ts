import { onAbort } from './abort.ts'

export interface LimitedSignal {
  readonly signal: AbortSignal
  readonly timedOut: boolean
  abort(reason?: unknown): void
  /** Must be called in the end, or the outer signal keeps this one. */
  release(): void
}

/**
 * A signal that aborts with another one, after a time when one is given, or by hand. Done by hand because `AbortSignal.any` and
 * `AbortSignal.timeout` together lose the timeout to the garbage collector on Node 20.
 */
export function limitSignal(outer: AbortSignal, milliseconds: number | null): LimitedSignal {
  const inner = new AbortController()
  let timedOut = false
  const expire = () => {
    timedOut = true
    inner.abort(new Error('the time is up'))
  }
  const timer = milliseconds === null ? undefined : setTimeout(expire, milliseconds)
  const leave = onAbort(outer, () => inner.abort(outer.reason))
  return {
    signal: inner.signal,
    get timedOut() {
      return timedOut
    },
    abort: (reason) => inner.abort(reason),
    release() {
      clearTimeout(timer)
      leave()
    },
  }
}
