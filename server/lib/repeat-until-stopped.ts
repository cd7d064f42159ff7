/**
 * Does `work` again and again. It resolves with the milliseconds to its next turn; without a number, and after a failure,
 * these are `interval`. The returned function ends it, after work that is under way.
 */
export function repeatUntilStopped(
  work: () => Promise<number | void>,
  interval: number,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let running = Promise.resolve()
  let ended = false
  let timer: NodeJS.Timeout | undefined

  function plan(milliseconds: number): void {
    if (ended) return
    timer = setTimeout(turn, milliseconds)
    timer.unref()
  }

  function turn(): void {
    running = work()
      .catch((error: unknown) => {
        if (!ended) onError(error)
      })
      .then((next) => plan(next ?? interval))
  }

  plan(interval)
  return async () => {
    ended = true
    clearTimeout(timer)
    await running
  }
}
