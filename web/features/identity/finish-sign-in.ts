import type { OpenIdClient } from './open-id-client.ts'
import { takePendingSignIn } from './pending-sign-in.ts'
import { toReturnPath } from './return-path.ts'
import type { SessionStore } from './session-store.ts'
import { toSession } from './to-session.ts'

/** The provider answers at the root, with the state it was given and a code or an error. */
export function isSignInAnswer({ pathname, search }: Location): boolean {
  const params = new URLSearchParams(search)
  return pathname === '/' && params.has('state') && (params.has('code') || params.has('error'))
}

/**
 * Takes up the provider's answer in the address, once: checks it, stores the session and goes back to where the sign-in
 * began. Whatever is wrong with it throws, and nothing is stored.
 */
export async function finishSignIn(
  openClient: () => Promise<OpenIdClient>,
  store: SessionStore,
): Promise<void> {
  const answer = new URL(location.href)
  const pending = takePendingSignIn(store.key)
  replaceAddress(toReturnPath(pending?.returnTo, location.origin))
  if (pending === null) {
    // An answer that nobody here asked for signs nobody in, and nobody out.
    if (store.read() !== null) return
    throw new Error('This browser did not ask for that sign-in.')
  }
  const { library, configuration } = await openClient()
  const tokens = await library.authorizationCodeGrant(configuration, answer, {
    expectedState: pending.state,
    expectedNonce: pending.nonce,
    pkceCodeVerifier: pending.verifier,
    idTokenExpected: true,
  })
  store.write(toSession(tokens, Date.now(), null))
}

/** Takes the answer out of the address before anyone can see or copy it; the router hears of it. */
function replaceAddress(path: string): void {
  history.replaceState(null, '', path)
  dispatchEvent(new PopStateEvent('popstate', { state: null }))
}
