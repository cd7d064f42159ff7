import { setTimeout as wait } from 'node:timers/promises'

/** Calls `act` when `signal` aborts, at once if it already has. The returned function removes the listener. */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act, { once: true })
  return () => signal.removeEventListener('abort', act)
}

/**
 * Returns a signal that aborts with `outer`, when `abort` is called, or after `timeoutMs` milliseconds unless that is
 * null. The reason of a timeout is a `TimeoutError`, as with `AbortSignal.timeout`. Unlike `AbortSignal.any`, it tells
 * whether the time limit has passed, and its timer ends with the work.
 */
export function linkSignal(outer: AbortSignal, timeoutMs: number | null) {
  const inner = new AbortController()
  let timedOut = false
  const expire = () => {
    timedOut = true
    inner.abort(new DOMException('The time limit has passed.', 'TimeoutError'))
  }
  const timer = timeoutMs === null ? undefined : setTimeout(expire, timeoutMs)
  const unlink = onAbort(outer, () => inner.abort(outer.reason))
  return {
    signal: inner.signal,
    get timedOut() {
      return timedOut
    },
    abort: (reason?: unknown) => inner.abort(reason),
    /** Must be called when the work has ended. Until then the outer signal refers to this one, and the timer runs. */
    release() {
      clearTimeout(timer)
      unlink()
    },
  }
}

/** Whether this is the reason of a signal whose time limit has passed. */
export function isTimeoutError(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError'
}

/** Calls `work` with a signal that aborts with `outer` or after `timeoutMs` milliseconds. */
export async function withTimeout<Result>(
  outer: AbortSignal,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const linked = linkSignal(outer, timeoutMs)
  try {
    return await work(linked.signal)
  } finally {
    linked.release()
  }
}

/** Resolves like `work`, or with the result of `instead` once `signal` is aborted. */
export async function unlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  instead: () => Result | Promise<Result>,
): Promise<Result> {
  const aborted = Promise.withResolvers<Result>()
  const removeAbort = onAbort(signal, () => aborted.resolve(instead()))
  return Promise.race([work, aborted.promise]).finally(removeAbort)
}

/** Resolves when `work` does, or after `maxMs` milliseconds. */
export async function waitAtMost(work: Promise<unknown>, maxMs: number): Promise<void> {
  const timeout = new AbortController()
  const elapsed = wait(maxMs, undefined, { signal: timeout.signal }).catch(() => undefined)
  await Promise.race([work, elapsed]).finally(() => timeout.abort())
}
