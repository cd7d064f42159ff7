import type { ClientSettings } from '@yonder/contract/identity'
import { logError } from '../../lib/log-error.ts'
import {
  createIdentityStateStore,
  insecureOrigin,
  loginFailed,
  tokenFailed,
  type IdentityStateStore,
} from './identity-state.ts'
import { createOpenIdClient, type OpenIdClient } from './open-id-client.ts'
import { createSessionStore, type Session, type SessionStore } from './session-store.ts'
import type { SignInRequest } from './sign-in.ts'
import { createTokenSource, SignedOutError } from './token-source.ts'

/** Signs the user in and out. A page has one client; the tabs of a browser share the session through local storage. */
export function createIdentityClient(settings: ClientSettings['identity']) {
  const store = createSessionStore(settings.issuer, settings.clientId)
  const openClient = createOpenIdClient(settings)
  const getToken = createTokenSource(store, openClient)
  const state = createIdentityStateStore(store)
  /**
   * Returns a token of this user, or of the signed-in user when `userId` is omitted. A token that expires within a
   * minute is refreshed first. Throws 'Get access token failed' when there is none.
   */
  const getAccessToken = (userId?: string): Promise<string> => requestToken(() => getToken(userId), state)
  let starting: Promise<void> | undefined

  async function begin(): Promise<void> {
    watchPage(store, state)
    if (!canSignIn()) {
      state.set({ status: 'error', message: insecureOrigin })
    } else if (isSignInResponse(location)) {
      try {
        const { finishSignIn } = await loadSignIn()
        await finishSignIn(openClient, store)
        if (!settings.embedded) await introduceUser(openClient, store)
        state.showStored()
      } catch (error) {
        await state.fail(loginFailed, error)
      }
    } else if (store.read() === null) {
      state.showStored()
    } else {
      // A failure is stored in the state.
      await getAccessToken().catch(() => undefined)
    }
  }

  /** Sends the browser to the provider. */
  async function signIn(request: SignInRequest): Promise<void> {
    if (!canSignIn()) {
      state.set({ status: 'error', message: insecureOrigin })
      return
    }
    state.set({ status: 'loading' })
    try {
      const { beginSignIn } = await loadSignIn()
      location.assign(await beginSignIn(await openClient(), store, settings, request))
    } catch (error) {
      await state.fail(loginFailed, error)
    }
  }

  /** Signs out in every tab and, if possible, at the provider, and returns to the origin. */
  async function signOut(): Promise<void> {
    const session = store.read()
    store.clear()
    state.set({ status: 'loading' })
    location.assign(await endSession(openClient, session))
  }

  return {
    getState: state.get,
    /** The address of the account page of the built-in provider; null with any other provider. */
    accountUrl: settings.embedded ? `${settings.issuer}/account` : null,
    subscribe: state.subscribe,
    /** Processes the provider's response in the query of the address, or else the stored session. */
    start: () => (starting ??= begin()),
    signIn,
    getAccessToken,
    signOut,
    /** For `own-account.ts`, whose code is loaded when it is needed. */
    parts: { settings, store, openClient, state },
    forget: (userId: string, reason?: string) => forgetSession(store, state, userId, reason),
  }
}

export type IdentityClient = ReturnType<typeof createIdentityClient>

/** Loaded on demand, because the first page does not need it. */
const loadSignIn = () => import('./sign-in.ts')

/** Whether an address is one to which the provider redirects: `/` with the state, and a code or an error. */
function isSignInResponse({ pathname, search }: Location): boolean {
  const params = new URLSearchParams(search)
  return pathname === '/' && params.has('state') && (params.has('code') || params.has('error'))
}

/**
 * Lets the server know the user before the first other request. Removes the session and throws when the server refuses
 * its access token.
 */
async function introduceUser(openClient: () => Promise<OpenIdClient>, store: SessionStore): Promise<void> {
  const session = store.read()
  if (session === null) return
  const { library } = await openClient()
  try {
    await library.sendIdToken(session.accessToken, session.idToken)
  } catch (error) {
    store.clear()
    throw error
  }
}

/**
 * Revokes the refresh token if possible, and returns the address to open next: the provider's sign-out page, which
 * redirects back to our origin, or our origin itself when the provider has no such page or cannot be reached.
 */
export async function endSession(
  openClient: () => Promise<OpenIdClient>,
  session: Session | null,
): Promise<string> {
  try {
    const { signOutAtProvider } = await import('./sign-out-at-provider.ts')
    return await signOutAtProvider(await openClient(), session)
  } catch (error) {
    logError('The sign-out at the provider failed', error)
    return location.origin
  }
}

/** Returns a token, and updates the state to show whether there was one. */
async function requestToken(getToken: () => Promise<string>, state: IdentityStateStore): Promise<string> {
  try {
    const token = await getToken()
    state.showStored()
    return token
  } catch (cause) {
    if (cause instanceof SignedOutError) state.showStored(null, cause.reason)
    else state.showStored(tokenFailed)
    throw new Error(tokenFailed, { cause })
  }
}

/**
 * Removes the session of this user without notifying the provider, after the server refused the access token for this
 * reason. Returns
 * false when another user has signed in meanwhile; that user's session stays.
 */
function forgetSession(
  store: SessionStore,
  state: IdentityStateStore,
  userId: string,
  reason?: string,
): boolean {
  const session = store.read()
  if (session !== null && session.user.sub !== userId) return false
  store.clear()
  state.showStored(null, reason)
  return true
}

/**
 * Updates the state when another tab signs in or out, and when the browser restores this page from its back-forward
 * cache.
 */
function watchPage(store: SessionStore, state: IdentityStateStore): void {
  store.watch(() => state.showStored())
  addEventListener('pageshow', (event) => {
    if (event.persisted) state.showStored()
  })
}

function canSignIn(): boolean {
  return isSecureContext && 'locks' in navigator && 'subtle' in crypto
}
