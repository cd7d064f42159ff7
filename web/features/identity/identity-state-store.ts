import { logError } from '../../lib/log-error.ts'
import { createStore, type ReadableStore } from '../../lib/store.ts'
import type { IdentityState } from './identity-state.ts'
import type { SessionStore } from './session-store.ts'

/** The sign-in state that the page shows. */
export interface IdentityStateStore extends ReadableStore<IdentityState> {
  readonly set: (state: IdentityState) => void
  /** Sets the state from the stored session. `failure` is the message to show when no token could be requested. */
  readonly showStored: (failure?: string | null) => void
  /** Logs the cause, and shows the message. */
  readonly fail: (message: string, cause: unknown) => void
}

export function createIdentityStateStore(store: SessionStore): IdentityStateStore {
  const { get, set, subscribe } = createStore<IdentityState>({ status: 'loading' })
  return {
    get,
    subscribe,
    set,
    showStored(failure = null) {
      const session = store.read()
      if (session === null) set({ status: 'unauthenticated' })
      else if (!isShown(get(), session.user.sub, failure)) {
        set({ status: 'authenticated', user: session.user, failure })
      }
    },
    fail(message, cause) {
      logError(message, cause)
      set({ status: 'error', message })
    },
  }
}

/** Whether the page shows this user and failure already. A silent refresh then does not render it again. */
function isShown(state: IdentityState, sub: string, failure: string | null): boolean {
  return state.status === 'authenticated' && state.user.sub === sub && state.failure === failure
}
