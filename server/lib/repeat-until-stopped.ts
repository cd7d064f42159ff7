/**
 * Repeats `work`, for the first time after `intervalMs`. `work` may resolve with the milliseconds until it runs again;
 * otherwise, and after a failure, it runs again after `intervalMs`. The returned function stops the repetition and
 * waits for running work.
 */
export function repeatUntilStopped(
  work: () => Promise<number | void>,
  intervalMs: number,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let running = Promise.resolve()
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  function schedule(delayMs: number): void {
    if (stopped) return
    timer = setTimeout(run, delayMs)
    timer.unref()
  }

  function run(): void {
    running = work()
      .catch((error: unknown) => {
        if (!stopped) onError(error)
      })
      .then((next) => schedule(next ?? intervalMs))
  }

  schedule(intervalMs)
  return async () => {
    stopped = true
    clearTimeout(timer)
    await running
  }
}
