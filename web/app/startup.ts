import type { ClientSettings } from '@yonder/contract/identity'
import { useEffect, useState } from 'react'
import { createIdentityClient, type IdentityClient } from '../features/identity/identity-client.ts'
import { loadClientSettings } from '../lib/client-settings.ts'
import { logError } from '../lib/log-error.ts'

export type Startup =
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly retry: () => void }
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

async function startUp(report: (startup: Startup) => void, signal: AbortSignal): Promise<void> {
  try {
    const settings = await loadClientSettings()
    // Starting a client processes the provider's response, which works only once.
    if (signal.aborted) return
    const identity = createIdentityClient(settings.identity)
    void identity.start()
    report({ status: 'ready', settings, identity })
  } catch (error) {
    if (signal.aborted) return
    logError('The settings could not be loaded', error)
    const retry = () => {
      report({ status: 'loading' })
      void startUp(report, signal)
    }
    report({ status: 'failed', retry })
  }
}
