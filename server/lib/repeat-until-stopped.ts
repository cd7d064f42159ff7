/**
 * Repeats `work`, which resolves with the milliseconds until its next turn. Without a number and after a failure the next
 * turn comes after `intervalMs`. The returned function stops the repetition and waits for work that is under way.
 */
export function repeatUntilStopped(
  work: () => Promise<number | void>,
  intervalMs: number,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let running = Promise.resolve()
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  function plan(delayMs: number): void {
    if (stopped) return
    timer = setTimeout(turn, delayMs)
    timer.unref()
  }

  function turn(): void {
    running = work()
      .catch((error: unknown) => {
        if (!stopped) onError(error)
      })
      .then((next) => plan(next ?? intervalMs))
  }

  plan(intervalMs)
  return async () => {
    stopped = true
    clearTimeout(timer)
    await running
  }
}
