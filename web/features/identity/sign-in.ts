import type { ClientSettings } from '@yonder/contract/identity'
import { maxSignInAgeSeconds } from '@yonder/contract/lib/account-deletion'
import { logError } from '../../lib/log-error.ts'
import type { OpenIdClient } from './open-id-client.ts'
import type { IdentityUser, SessionStore } from './session-store.ts'
import { toSession } from './token-source.ts'

export interface SignInRequest {
  /** Whether the provider is asked to skip its own page and open Google's sign-in at once. */
  readonly withGoogle: boolean
  /** The path to return to after sign-in. */
  readonly returnTo: string
  /** The signed-in user, who has to prove again who they are, although the provider knows them. */
  readonly again?: IdentityUser
}

/** Returns the address of the provider's sign-in page, and stores the values to check its response against. */
export async function beginSignIn(
  { library, configuration }: OpenIdClient,
  store: SessionStore,
  { audience, googleParams, params = {} }: ClientSettings['identity'],
  { withGoogle, returnTo, again }: SignInRequest,
): Promise<URL> {
  const pending: PendingSignIn = {
    state: library.randomState(),
    nonce: library.randomNonce(),
    verifier: library.randomPKCECodeVerifier(),
    returnTo: toReturnPath(returnTo, location.origin),
    isAgain: again !== undefined,
  }
  sessionStorage.setItem(keyOf(store.key), JSON.stringify(pending))
  const { scope, ...others } = params
  return library.buildAuthorizationUrl(configuration, {
    ...others,
    redirect_uri: `${location.origin}/`,
    scope: `openid profile email offline_access ${scope ?? ''}`.trim(),
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await library.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
    ...(audience === '' ? {} : { audience }),
    ...(withGoogle ? googleParams : {}),
    ...(again === undefined ? {} : askAgain(again)),
  })
}

/** With `max_age`, the ID token says when the user has signed in, also at providers that leave that out otherwise. */
function askAgain({ email }: IdentityUser): Readonly<Record<string, string>> {
  const hint: Record<string, string> = email === null ? {} : { login_hint: email }
  return { prompt: 'login', max_age: String(maxSignInAgeSeconds), ...hint }
}

/** What a tab stores until the provider responds: values to check the response with, and where to return to. */
interface PendingSignIn {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly returnTo: string
  readonly isAgain: boolean
}

const keyOf = (sessionKey: string): string => `${sessionKey}:pending`

/** Returns and removes the stored values, so that a response is used once. `sessionKey` is `SessionStore.key`. */
function takePendingSignIn(sessionKey: string): PendingSignIn | null {
  try {
    const text = sessionStorage.getItem(keyOf(sessionKey))
    sessionStorage.removeItem(keyOf(sessionKey))
    return JSON.parse(text ?? 'null') as PendingSignIn | null
  } catch {
    return null
  }
}

/**
 * Processes the provider's response in the address, once: returns to the page where the sign-in started, checks the
 * response and stores the session. A signed-in user stays signed in after a response that this tab did not request.
 * @throws if no session was obtained; then nothing is stored
 */
export async function finishSignIn(
  openClient: () => Promise<OpenIdClient>,
  store: SessionStore,
): Promise<void> {
  const response = new URL(location.href)
  const pending = takePendingSignIn(store.key)
  replaceAddress(toReturnPath(pending?.returnTo, location.origin))
  if (pending === null) {
    // A response that this tab did not request neither signs the user in nor out.
    if (store.read() !== null) return
    throw new Error('This tab did not start that sign-in.')
  }
  try {
    const { library, configuration } = await openClient()
    const tokens = await library.authorizationCodeGrant(configuration, response, {
      expectedState: pending.state,
      expectedNonce: pending.nonce,
      pkceCodeVerifier: pending.verifier,
      idTokenExpected: true,
    })
    store.write(toSession(tokens, Date.now(), null))
  } catch (error) {
    // Who did not sign in again, for example because they went back, is still signed in.
    if (!pending.isAgain || store.read() === null) throw error
    logError('The user has not signed in again', error)
  }
}

/** Replaces the address, because it contains the response, and notifies the router. */
function replaceAddress(path: string): void {
  history.replaceState(null, '', path)
  dispatchEvent(new PopStateEvent('popstate', { state: null }))
}

/** Returns `value` if it is a path on our origin to return to after sign-in, else `/`. */
export function toReturnPath(value: unknown, origin: string): string {
  if (typeof value !== 'string' || !value.startsWith('/')) return '/'
  const url = URL.parse(value, origin)
  if (url === null || url.origin !== origin) return '/'
  const path = url.pathname + url.search + url.hash
  // "/.//host" resolves to our origin, but to the path "//host", which leads to another origin.
  return /^\/[/\\]/.test(path) ? '/' : path
}
