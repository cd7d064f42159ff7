import type { ClientSettings } from '@yonder/contract/identity'
import { useEffect, useState } from 'react'
import { createIdentityClient, type IdentityClient } from '../features/identity/identity-client.ts'
import { loadClientSettings } from '../lib/api/client-settings.ts'
import { logError } from '../lib/log-error.ts'

export type Startup =
  | { readonly status: 'loading' }
  /** The settings are loaded again after a few seconds, or when the browser comes online or `retry` is called. */
  | {
      readonly status: 'failed'
      readonly failure: 'offline' | 'unreachable'
      readonly retry: () => void
    }
  | { readonly status: 'ready'; readonly settings: ClientSettings; readonly identity: IdentityClient }

/** Loads the server's settings and starts the identity client that they configure. */
export function useStartup(): Startup {
  const [startup, setStartup] = useState<Startup>({ status: 'loading' })
  useEffect(() => {
    const unmounted = new AbortController()
    void startUp(setStartup, unmounted.signal)
    return () => unmounted.abort()
  }, [])
  return startup
}

/** The pause between a failed attempt and the next one. */
const retryIntervalMs = 5000

/** Loads the settings, and after a failure again until that succeeds. */
async function startUp(report: (startup: Startup) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const settings = await loadClientSettings()
      // A client processes the provider's response, which works only once, so none is started after unmounting.
      if (signal.aborted) return
      const identity = createIdentityClient(settings.identity)
      void identity.start()
      return report({ status: 'ready', settings, identity })
    } catch (error) {
      if (signal.aborted) return
      logError('The settings could not be loaded', error)
      await new Promise<void>((resolve) => {
        const ended = new AbortController()
        const end = () => {
          clearTimeout(timer)
          ended.abort()
          resolve()
        }
        const timer = setTimeout(end, retryIntervalMs)
        window.addEventListener('online', end, { signal: ended.signal })
        signal.addEventListener('abort', end, { signal: ended.signal })
        const retry = () => {
          report({ status: 'loading' })
          end()
        }
        report({ status: 'failed', failure: navigator.onLine ? 'unreachable' : 'offline', retry })
      })
    }
  }
}
