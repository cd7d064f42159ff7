import type { ClientSettings } from '@yonder/contract/identity'
import type { OpenIdClient } from './open-id-client.ts'
import { toReturnPath } from './return-path.ts'
import type { SessionStore } from './session-store.ts'

export interface SignInRequest {
  /** Whether the provider is asked to skip its own page and open Google's sign-in at once. */
  readonly withGoogle: boolean
  /** The path to return to after sign-in. */
  readonly returnTo: string
}

/** Returns the address of the provider's sign-in page, and stores the values to check its response against. */
export async function beginSignIn(
  { library, configuration }: OpenIdClient,
  store: SessionStore,
  { audience, googleParams }: ClientSettings['identity'],
  { withGoogle, returnTo }: SignInRequest,
): Promise<URL> {
  const pending = {
    state: library.randomState(),
    nonce: library.randomNonce(),
    verifier: library.randomPKCECodeVerifier(),
    returnTo: toReturnPath(returnTo, location.origin),
  }
  storePendingSignIn(store.key, pending)
  return library.buildAuthorizationUrl(configuration, {
    redirect_uri: `${location.origin}/`,
    scope: 'openid profile email offline_access',
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await library.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
    ...(audience === '' ? {} : { audience }),
    ...(withGoogle ? googleParams : {}),
  })
}

/** What a tab stores until the provider responds: values to check the response with, and where to return to. */
interface PendingSignIn {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly returnTo: string
}

const keyOf = (sessionKey: string): string => `${sessionKey}:pending`

function storePendingSignIn(sessionKey: string, pending: PendingSignIn): void {
  sessionStorage.setItem(keyOf(sessionKey), JSON.stringify(pending))
}

/** Returns and removes the stored values, so that a response is used once. `sessionKey` is `SessionStore.key`. */
export function takePendingSignIn(sessionKey: string): PendingSignIn | null {
  try {
    const text = sessionStorage.getItem(keyOf(sessionKey))
    sessionStorage.removeItem(keyOf(sessionKey))
    const value: unknown = JSON.parse(text ?? 'null')
    return isPending(value) ? value : null
  } catch {
    return null
  }
}

function isPending(value: unknown): value is PendingSignIn {
  if (typeof value !== 'object' || value === null) return false
  const record = value as Record<string, unknown>
  return (['state', 'nonce', 'verifier', 'returnTo'] as const).every(
    (field) => typeof record[field] === 'string',
  )
}
