/**
 * Does `work` again and again, `interval` milliseconds after it was done; what fails is tried again at the next turn.
 * The returned function ends it, after work that is under way.
 */
export function repeatWork(
  interval: number,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let running = Promise.resolve()
  let ended = false
  let timer = setTimeout(turn, interval)
  timer.unref()

  function turn(): void {
    running = work()
      .catch((error: unknown) => {
        if (!ended) onError(error)
      })
      .then(() => {
        if (ended) return
        timer = setTimeout(turn, interval)
        timer.unref()
      })
  }

  return async () => {
    ended = true
    clearTimeout(timer)
    await running
  }
}
