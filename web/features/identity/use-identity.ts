import { createContext, useContext, useSyncExternalStore } from 'react'
import type { IdentityClient } from './identity-client.ts'
import type { IdentityState } from './identity-state.ts'

/** The page's one identity client. */
export const IdentityContext = createContext<IdentityClient | null>(null)

/** The sign-in state, and the client that changes it. */
export function useIdentity(): { readonly state: IdentityState; readonly identity: IdentityClient } {
  const identity = useContext(IdentityContext)
  if (identity === null) throw new Error('useIdentity must be used within IdentityContext')
  const state = useSyncExternalStore(identity.subscribe, identity.getState)
  return { state, identity }
}
