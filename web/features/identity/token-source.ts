import type { OpenIdClient } from './open-id-client.ts'
import type { Session, SessionStore } from './session-store.ts'
import { toSession } from './to-session.ts'

/** Milliseconds: an access token is used while more of its life is left (§9.15). */
const refreshMargin = 60_000
/** Milliseconds that a tab waits while another one refreshes (§9.15). */
const lockTimeout = 5_000

/** The session has ended, here or at the provider; nothing is stored any more. */
export class SignedOutError extends Error {
  override readonly name = 'SignedOutError'
}

export interface TokenSource {
  /** Throws SignedOutError, a TimeoutError when another tab holds the lock for too long, or what went wrong on the way. */
  readonly get: () => Promise<string>
}

/**
 * Access tokens out of the store, renewed when little of their life is left: once for all callers of this tab, and in
 * one tab at a time. Only the provider's word that the sign-in is over clears the store; a failure on the way leaves
 * the person signed in.
 */
export function createTokenSource(store: SessionStore, openClient: () => Promise<OpenIdClient>): TokenSource {
  let refreshing: Promise<Session> | undefined

  async function get(): Promise<string> {
    const session = store.read()
    if (session === null) throw new SignedOutError('Nobody is signed in.')
    if (isFresh(session)) return session.accessToken
    refreshing ??= refreshAlone().finally(() => {
      refreshing = undefined
    })
    return (await refreshing).accessToken
  }

  function refreshAlone(): Promise<Session> {
    const options = { signal: AbortSignal.timeout(lockTimeout) }
    return navigator.locks.request(store.key, options, async () => {
      // Another tab may have refreshed or signed out while this one waited.
      const known = store.read()
      if (known === null) throw new SignedOutError('Signed out in another tab.')
      return isFresh(known) ? known : refresh(known)
    })
  }

  async function refresh(known: Session): Promise<Session> {
    if (known.refreshToken === null) {
      store.clear()
      throw new SignedOutError('The access token has expired and cannot be renewed.')
    }
    const { library, configuration } = await openClient()
    try {
      const answer = await library.refreshTokenGrant(configuration, known.refreshToken)
      const session = toSession(answer, Date.now(), known)
      // A sign-out while the answer was on its way stands.
      if (!isStored(known)) throw new SignedOutError('Signed out meanwhile.')
      store.write(session)
      return session
    } catch (error) {
      if (!(error instanceof library.ResponseBodyError) || error.error !== 'invalid_grant') throw error
      if (isStored(known)) store.clear()
      throw new SignedOutError('The sign-in has ended.', { cause: error })
    }
  }

  function isStored({ refreshToken }: Session): boolean {
    return store.read()?.refreshToken === refreshToken
  }

  return { get }
}

function isFresh({ expiresAt }: Session): boolean {
  return expiresAt - Date.now() > refreshMargin
}
