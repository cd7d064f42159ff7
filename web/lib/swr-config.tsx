import { useMemo, type ReactNode } from 'react'
import { SWRConfig, type SWRConfiguration } from 'swr'
import type { ApiClient } from './api-client.ts'
import { ApiError } from './api-error.ts'
import { logError } from './log-error.ts'
import { ApiContext } from './use-api.ts'

/** Milliseconds between a failed read and the next try (§7.1). */
const retryInterval = 5000
/** Milliseconds in which equal reads are one (§9.4). */
const dedupingInterval = 2000

/** The next try of each read that failed. */
const retries = new Map<string, ReturnType<typeof setTimeout>>()

function cancelRetry(key: string): void {
  clearTimeout(retries.get(key))
  retries.delete(key)
}

/** How every read behaves (§7.28): a failed one is tried again every five seconds, without growing pauses or an end. */
export const readOptions = {
  revalidateOnFocus: false,
  revalidateOnReconnect: true,
  refreshInterval: 0,
  dedupingInterval,
  errorRetryInterval: retryInterval,
  onSuccess: (_data: unknown, key) => cancelRetry(key),
  // Whatever a screen shows of it besides (§8.34).
  onError: (error: unknown, key) => logError(`${describeRead(error)} (${key.replace(/^\$inf\$|\?.*/g, '')})`),
  onErrorRetry: (_error, key, _config, revalidate, { retryCount }) => {
    // Whatever else read it meanwhile, a screen or its 'Try again', there is one next try.
    cancelRetry(key)
    const retry = (): void => {
      retries.delete(key)
      void revalidate({ retryCount })
    }
    retries.set(key, setTimeout(retry, retryInterval))
  },
} satisfies SWRConfiguration

function describeRead(error: unknown): string {
  if (error instanceof ApiError) return `${error.message} ${error.status}`
  return error instanceof Error ? error.message : String(error)
}

/** Gives `api` to everything inside, with a cache of reads that is born and dies with this element. */
export function ApiProvider({ api, children }: { readonly api: ApiClient; readonly children: ReactNode }) {
  const value = useMemo(
    (): SWRConfiguration => ({ ...readOptions, provider: () => new Map(), fetcher: api.read }),
    [api],
  )
  return (
    <ApiContext value={api}>
      <SWRConfig value={value}>{children}</SWRConfig>
    </ApiContext>
  )
}
