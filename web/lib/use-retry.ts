import { useState } from 'react'

export interface Retry {
  readonly retrying: boolean
  readonly retry: () => Promise<void>
}

/** Reads again when the user asks for it, and shows that it does; automatic retries show nothing. */
export function useRetry(read: () => Promise<unknown>): Retry {
  const [retrying, setRetrying] = useState(false)
  return {
    retrying,
    async retry() {
      setRetrying(true)
      // A failure shows in the error of the read.
      await read().catch(() => undefined)
      setRetrying(false)
    },
  }
}
