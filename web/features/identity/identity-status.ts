import { logError } from '../../lib/log-error.ts'
import type { IdentityState } from './identity-state.ts'
import type { SessionStore } from './session-store.ts'

/** The state that the page shows, and who listens to it. */
export interface IdentityStatus {
  readonly get: () => IdentityState
  /** Answers how to stop. */
  readonly subscribe: (onChange: () => void) => () => void
  readonly set: (state: IdentityState) => void
  /** Shows what is stored; `failure` is why no token can be had. */
  readonly showStored: (failure?: string | null) => void
  readonly fail: (message: string, cause: unknown) => void
}

export function createIdentityStatus(store: SessionStore): IdentityStatus {
  const listeners = new Set<() => void>()
  let state: IdentityState = { status: 'loading' }
  const set = (next: IdentityState): void => {
    state = next
    for (const listener of listeners) listener()
  }
  return {
    get: () => state,
    subscribe(onChange) {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
    set,
    showStored(failure = null) {
      const session = store.read()
      if (session === null) set({ status: 'unauthenticated' })
      else if (!isShown(state, session.user.sub, failure)) {
        set({ status: 'authenticated', user: session.user, failure })
      }
    },
    fail(message, cause) {
      logError(message, cause)
      set({ status: 'error', message })
    },
  }
}

/** A silent refresh must not draw the page again. */
function isShown(state: IdentityState, sub: string, failure: string | null): boolean {
  return state.status === 'authenticated' && state.user.sub === sub && state.failure === failure
}
