import { takePendingSignIn } from './begin-sign-in.ts'
import type { OpenIdClient } from './open-id-client.ts'
import { toReturnPath } from './return-path.ts'
import type { SessionStore } from './session-store.ts'

/** Whether an address is one to which the provider redirects: `/` with the state, and a code or an error. */
export function isSignInResponse({ pathname, search }: Location): boolean {
  const params = new URLSearchParams(search)
  return pathname === '/' && params.has('state') && (params.has('code') || params.has('error'))
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
  const [{ library, configuration }, { toSession }] = await Promise.all([
    openClient(),
    import('./to-session.ts'),
  ])
  const tokens = await library.authorizationCodeGrant(configuration, response, {
    expectedState: pending.state,
    expectedNonce: pending.nonce,
    pkceCodeVerifier: pending.verifier,
    idTokenExpected: true,
  })
  store.write(toSession(tokens, Date.now(), null))
}

/** Replaces the address, because it contains the response, and notifies the router. */
function replaceAddress(path: string): void {
  history.replaceState(null, '', path)
  dispatchEvent(new PopStateEvent('popstate', { state: null }))
}
