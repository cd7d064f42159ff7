import { useContext, useSyncExternalStore } from 'react'
import type { IdentityClient } from './identity-client.ts'
import { IdentityContext } from './identity-context.ts'
import type { IdentityState } from './identity-state.ts'

/** Where the sign-in stands, and what can be done about it. */
export function useIdentity(): { readonly state: IdentityState; readonly identity: IdentityClient } {
  const identity = useContext(IdentityContext)
  if (identity === null) throw new Error('useIdentity must be used within IdentityContext.')
  const state = useSyncExternalStore(identity.subscribe, identity.getState)
  return { state, identity }
}
