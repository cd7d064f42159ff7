import { useState } from 'react'

/** Repeats a read when the user requests it. `retrying` is true during that read, but not during automatic retries. */
export function useRetry(read: () => Promise<unknown>) {
  const [retrying, setRetrying] = useState(false)
  return {
    retrying,
    async retry() {
      setRetrying(true)
      // The state of the read itself contains the error.
      await read().catch(() => undefined)
      setRetrying(false)
    },
  }
}
