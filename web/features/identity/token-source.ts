import type { OpenIdClient } from './open-id-client.ts'
import { refreshSession } from './refresh-session.ts'
import type { Session, SessionStore } from './session-store.ts'
import { SignedOutError } from './signed-out-error.ts'

/** Milliseconds: an access token is used while more of its life is left (§9.15). */
const refreshMargin = 60_000
/** Milliseconds that a tab waits while another one refreshes (§9.15). */
const lockTimeout = 5_000

/**
 * Milliseconds: what one tab writes to local storage reaches another only after a while, and a lock may come sooner. So
 * the lock is held for this long after a refresh, and who had to wait for it gives the news as long to arrive. Without
 * it two tabs would use one refresh token, which a strict provider answers by ending the sign-in.
 */
const settleTime = 250
const barelyWaited = 20

export interface TokenSource {
  /** Throws SignedOutError, a TimeoutError when another tab holds the lock for too long, or what went wrong on the way. */
  readonly get: () => Promise<string>
}

/**
 * Access tokens out of the store, renewed when little of their life is left: once for all callers of this tab, and in
 * one tab at a time.
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
    return new Promise((resolve, reject) => {
      const asked = performance.now()
      const options = { signal: AbortSignal.timeout(lockTimeout) }
      navigator.locks
        .request(store.key, options, async () => {
          const known = await readCurrent(performance.now() - asked > barelyWaited)
          resolve(isFresh(known) ? known : await refreshSession(store, openClient, known))
          await pause(settleTime)
        })
        .catch(reject)
    })
  }

  /** What another tab may have refreshed or cleared while this one waited. */
  async function readCurrent(hasWaited: boolean): Promise<Session> {
    const seen = store.read()
    if (hasWaited && seen !== null && !isFresh(seen)) await store.nextChange(settleTime)
    const known = store.read()
    if (known === null) throw new SignedOutError('Signed out in another tab.')
    return known
  }

  return { get }
}

function isFresh({ expiresAt }: Session): boolean {
  return expiresAt - Date.now() > refreshMargin
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
