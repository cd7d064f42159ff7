import { useState } from 'react'

export interface Retry {
  readonly retrying: boolean
  readonly retry: () => Promise<void>
}

/** Reads again at a person's wish, and shows it: reads that are tried again by themselves show nothing. */
export function useRetry(read: () => Promise<unknown>): Retry {
  const [retrying, setRetrying] = useState(false)
  return {
    retrying,
    async retry() {
      setRetrying(true)
      // What fails again stands in the error of the read.
      await read().catch(() => undefined)
      setRetrying(false)
    },
  }
}
