/** The pause before the second retry; each further pause is twice as long, up to the maximum. */
const firstPauseMs = 500
const maxPauseMs = 15_000

/** Waits before a broken connection is retried. The first retry is immediate; a returning network ends the wait. */
export async function waitToRetry(failures: number, signal: AbortSignal): Promise<void> {
  if (failures === 0 || signal.aborted) return
  const pause = Math.min(maxPauseMs, firstPauseMs * 2 ** (failures - 1))
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer)
      window.removeEventListener('online', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, pause)
    window.addEventListener('online', done)
    signal.addEventListener('abort', done)
  })
}
