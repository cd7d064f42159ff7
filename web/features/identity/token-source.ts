import type { OpenIdClient } from './open-id-client.ts'
import { refreshSession } from './refresh-session.ts'
import type { Session, SessionStore } from './session-store.ts'
import { SignedOutError } from './signed-out-error.ts'

/** An access token that expires sooner is refreshed (§9.15). */
const refreshMarginMs = 60_000
/** How long a tab waits while another one refreshes (§9.15). */
const lockTimeoutMs = 5_000

/**
 * What one tab writes to local storage reaches another after a delay, while the lock may be released sooner. So the lock is
 * held for this long after a refresh, and a tab that waited for it waits as long for the change. Without it two tabs would
 * use one refresh token, after which a strict provider revokes the session.
 */
const settleMs = 250
const minWaitMs = 20

export interface TokenSource {
  /** Throws SignedOutError, a TimeoutError when another tab holds the lock for too long, or the failure of the request. */
  readonly get: () => Promise<string>
}

/**
 * Access tokens from the store, refreshed shortly before they expire: once for all callers of this tab, and in one tab at a
 * time.
 */
export function createTokenSource(store: SessionStore, openClient: () => Promise<OpenIdClient>): TokenSource {
  let refreshing: Promise<Session> | undefined

  async function get(): Promise<string> {
    const session = store.read()
    if (session === null) throw new SignedOutError('No user is signed in.')
    if (isFresh(session)) return session.accessToken
    refreshing ??= refreshAlone().finally(() => {
      refreshing = undefined
    })
    return (await refreshing).accessToken
  }

  function refreshAlone(): Promise<Session> {
    return new Promise((resolve, reject) => {
      const asked = performance.now()
      const options = { signal: AbortSignal.timeout(lockTimeoutMs) }
      navigator.locks
        .request(store.key, options, async () => {
          const known = await readCurrent(performance.now() - asked > minWaitMs)
          resolve(isFresh(known) ? known : await refreshSession(store, openClient, known))
          await pause(settleMs)
        })
        .catch(reject)
    })
  }

  /** Another tab may have refreshed or cleared the session while this one waited. */
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
