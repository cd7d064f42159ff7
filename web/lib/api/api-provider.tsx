import { createContext, useContext, useMemo, type ReactNode } from 'react'
import { SWRConfig, type SWRConfiguration } from 'swr'
import { logError } from '../log-error.ts'
import type { ApiClient } from './api-client.ts'
import { ApiError, isNotFound, UnreachableError } from './api-error.ts'

const ApiContext = createContext<ApiClient | null>(null)

/** The pause between a failed read and the next try. */
const retryIntervalMs = 5000
/** Equal reads within this time share one request. */
const dedupingMs = 2000

/** The timer for the next try of each failed read, by its key. */
const retries = new Map<string, ReturnType<typeof setTimeout>>()

function cancelRetry(key: string): void {
  clearTimeout(retries.get(key))
  retries.delete(key)
}

/** The default options of reads: a failed read is retried every five seconds, without a limit. */
export const readOptions = {
  revalidateOnFocus: false,
  revalidateOnReconnect: true,
  refreshInterval: 0,
  dedupingInterval: dedupingMs,
  errorRetryInterval: retryIntervalMs,
  onSuccess: (_data: unknown, key) => cancelRetry(key),
  // A failed read is logged even if the screen still shows older data. The log names its path, without the
  // query and without the prefix that SWR adds to paged reads.
  onError: (error: unknown, key) => logReadFailure(error, key.replace(/^\$inf\$|\?.*/g, '')),
  onErrorRetry: (_error, key, _config, revalidate, { retryCount }) => {
    // Another screen or 'Try again' may have scheduled a retry already; only one is kept.
    cancelRetry(key)
    const retry = (): void => {
      retries.delete(key)
      void revalidate({ retryCount })
    }
    retries.set(key, setTimeout(retry, retryIntervalMs))
  },
} satisfies SWRConfiguration

/** The options of a read that may find nothing: a 404 is then a result, which is neither logged nor retried. */
export const optionalReadOptions = {
  ...readOptions,
  onError: (error: unknown, key) => {
    if (!isNotFound(error)) readOptions.onError(error, key)
  },
  onErrorRetry: (...args: Parameters<typeof readOptions.onErrorRetry>) => {
    const [error] = args
    if (!isNotFound(error)) readOptions.onErrorRetry(...args)
  },
} satisfies SWRConfiguration

/** Logs that the read of a path has failed. */
export function logReadFailure(error: unknown, path: string): void {
  logError(`${describeReadError(error)} (${path})`)
}

function describeReadError(error: unknown): string {
  if (error instanceof ApiError) return `${error.message} ${error.status}`
  // The browser's own error says more than the sentence for the user.
  const logged = error instanceof UnreachableError ? error.cause : error
  return logged instanceof Error ? logged.message : String(logged)
}

/** Provides `api`, and a cache of reads that is discarded when this element is unmounted. */
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

/** The client of the signed-in user. */
export function useApi(): ApiClient {
  const api = useOptionalApi()
  if (api === null) throw new Error('useApi must be used within ApiProvider')
  return api
}

/** The same; null on a page that needs no sign-in. */
export function useOptionalApi(): ApiClient | null {
  return useContext(ApiContext)
}
