import { logError } from '../../lib/log-error.ts'
import { createStore } from '../../lib/store.ts'
import type { SignInProblem } from './explain-failure.ts'
import type { IdentityUser, SessionStore } from './session-store.ts'

/** The sign-in state of this tab. */
export type IdentityState =
  | { readonly status: 'loading' }
  /** `reason` says in a sentence why the user was signed out, if it was not the user's wish. */
  | { readonly status: 'unauthenticated'; readonly reason?: string }
  | {
      readonly status: 'authenticated'
      readonly user: IdentityUser
      /** The message for a failed request for a token, until a request succeeds; null if there is none. */
      readonly failure: string | null
    }
  /** `reason` is a sentence with the cause. */
  | { readonly status: 'error'; readonly message: string; readonly reason?: string }

/** The message of a failed sign-in. */
export const loginFailed = 'Login failed'
/** The message when there is no access token. */
export const tokenFailed = 'Get access token failed'
/** Browsers provide the cryptography for signing in only on pages from https or localhost. */
export const insecureOrigin =
  'Signing in needs a secure address. This page was opened over plain http; open it over https, or on localhost.'

/** The sign-in state that the page shows. */
export function createIdentityStateStore(store: SessionStore) {
  const { get, set, subscribe } = createStore<IdentityState>({ status: 'loading' })
  return {
    get,
    subscribe,
    set,
    /**
     * Sets the state from the stored session. `failure` is the message to show when no token could be requested,
     * `reason` is why there is no session any more.
     */
    showStored(failure: string | null = null, reason?: string) {
      const session = store.read()
      if (session === null) {
        // The first reason stays: the requests that fail after it only say that nobody is signed in.
        if (get().status !== 'unauthenticated')
          set({ status: 'unauthenticated', ...(reason === undefined ? {} : { reason }) })
      } else if (!isShown(get(), session.user.sub, failure)) {
        set({ status: 'authenticated', user: session.user, failure })
      }
    },
    /** Shows the message and the cause, and logs both, here and at the server. */
    async fail(message: string, cause: unknown): Promise<void> {
      const problem = await explain(cause)
      logError(message, problem)
      void import('../../lib/api/sign-in-requests.ts').then(
        ({ reportSignInFailure }) => reportSignInFailure(problem),
        () => undefined,
      )
      set({ status: 'error', message, reason: problem.sentence })
    },
  }
}

/** Explains a failure with code that is loaded on demand, because the first page needs none of it. */
export async function explain(cause: unknown): Promise<SignInProblem> {
  try {
    return (await import('./explain-failure.ts')).explainFailure(cause)
  } catch {
    return { sentence: 'The server could not be reached. Reload this page, then try again.' }
  }
}

export type IdentityStateStore = ReturnType<typeof createIdentityStateStore>

/** Whether the page shows this user and failure already. A silent refresh then does not render it again. */
function isShown(state: IdentityState, sub: string, failure: string | null): boolean {
  return state.status === 'authenticated' && state.user.sub === sub && state.failure === failure
}
