import type { OpenIdClient } from './open-id-client.ts'
import { refreshSession } from './refresh-session.ts'
import type { Session, SessionStore } from './session-store.ts'
import { SignedOutError } from './signed-out-error.ts'

/** An access token that expires within this time is refreshed (§9.15). */
const refreshMarginMs = 60_000
/** How long a tab waits while another tab refreshes the token (§9.15). */
const lockTimeoutMs = 5_000

/**
 * A change of local storage reaches other tabs after a delay, sometimes later than the release of the lock. So a tab holds
 * the lock for this long after a refresh, and a tab that has waited for the lock waits up to this long for the change.
 * Otherwise two tabs could use the same refresh token, after which a strict provider revokes the session.
 */
const settleMs = 250
/** A lock request that took longer than this had to wait for another tab. */
const minWaitMs = 20

export interface TokenSource {
  /** @throws SignedOutError, a TimeoutError when another tab holds the lock for too long, or the failure of the request */
  readonly get: () => Promise<string>
}

/**
 * Returns access tokens from the store, and refreshes them shortly before they expire. Concurrent calls in a tab share
 * one refresh, and only one tab refreshes at a time (§1.2, §15.8).
 */
export function createTokenSource(store: SessionStore, openClient: () => Promise<OpenIdClient>): TokenSource {
  let refreshing: Promise<Session> | undefined

  async function get(): Promise<string> {
    const session = store.read()
    if (session === null) throw new SignedOutError('No user is signed in.')
    if (isFresh(session)) return session.accessToken
    refreshing ??= refreshWithLock().finally(() => {
      refreshing = undefined
    })
    return (await refreshing).accessToken
  }

  function refreshWithLock(): Promise<Session> {
    return new Promise((resolve, reject) => {
      const requestedAt = performance.now()
      const options = { signal: AbortSignal.timeout(lockTimeoutMs) }
      navigator.locks
        .request(store.key, options, async () => {
          const known = await readCurrent(performance.now() - requestedAt > minWaitMs)
          resolve(isFresh(known) ? known : await refreshSession(store, openClient, known))
          await pause(settleMs)
        })
        .catch(reject)
    })
  }

  /** Reads the session again, since another tab can have refreshed or cleared it while this tab waited. */
  async function readCurrent(hasWaited: boolean): Promise<Session> {
    const seen = store.read()
    if (hasWaited && seen !== null && !isFresh(seen)) await store.nextChange(settleMs)
    const known = store.read()
    if (known === null) throw new SignedOutError('Signed out in another tab.')
    return known
  }

  return { get }
}

function isFresh({ expiresAt }: Session): boolean {
  return expiresAt - Date.now() > refreshMarginMs
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
