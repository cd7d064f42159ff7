import type { OpenIdClient } from './open-id-client.ts'
import type { Session, SessionStore } from './session-store.ts'
import { SignedOutError } from './signed-out-error.ts'

/** An access token that expires within this time is refreshed. */
const refreshMarginMs = 60_000
/** How long a tab waits while another tab refreshes the token. */
const lockTimeoutMs = 5_000

/**
 * A change of local storage reaches other tabs after a delay, sometimes later than the release of the lock. So a tab
 * holds the lock for this long after a refresh, and a tab that has waited for the lock waits up to this long for the
 * change. Otherwise two tabs could use the same refresh token, after which a strict provider revokes the session.
 */
const settleMs = 250
/** A lock request that took longer than this counts as having waited for another tab. */
const minWaitMs = 20

export interface TokenSource {
  /**
   * Returns a token of the user with this id, or of the stored session's user when it is omitted. It never returns the
   * token of another user who has signed in in this browser meanwhile.
   * @throws SignedOutError, a TimeoutError when another tab holds the lock for too long, or the failure of the request
   */
  readonly get: (userId?: string) => Promise<string>
}

/**
 * Returns access tokens from the store, and refreshes them shortly before they expire. Concurrent calls in a tab share
 * one refresh, and only one tab refreshes at a time.
 */
export function createTokenSource(store: SessionStore, openClient: () => Promise<OpenIdClient>): TokenSource {
  /** The refresh that is running, by user id. */
  const refreshing = new Map<string, Promise<Session>>()

  async function get(userId?: string): Promise<string> {
    const session = readSession(userId)
    if (isFresh(session)) return session.accessToken
    const { sub } = session.user
    const refreshed = refreshing.get(sub) ?? refreshWithLock(sub).finally(() => refreshing.delete(sub))
    refreshing.set(sub, refreshed)
    return (await refreshed).accessToken
  }

  function readSession(userId?: string): Session {
    const session = store.read()
    if (session === null) throw new SignedOutError('No user is signed in.')
    if (userId !== undefined && session.user.sub !== userId)
      throw new SignedOutError('Another user has signed in.')
    return session
  }

  function refreshWithLock(userId: string): Promise<Session> {
    return new Promise((resolve, reject) => {
      const requestedAt = performance.now()
      const options = { signal: AbortSignal.timeout(lockTimeoutMs) }
      navigator.locks
        .request(store.key, options, async () => {
          const session = await readCurrent(userId, performance.now() - requestedAt > minWaitMs)
          resolve(isFresh(session) ? session : await refresh(session))
          await pause(settleMs)
        })
        .catch(reject)
    })
  }

  /** Loads the code on demand, because a token that is still fresh does not need it. */
  async function refresh(session: Session): Promise<Session> {
    const { refreshSession } = await import('./refresh-session.ts')
    return refreshSession(store, openClient, session)
  }

  /** Reads the session again, since another tab can have refreshed or cleared it while this tab waited. */
  async function readCurrent(userId: string, hasWaited: boolean): Promise<Session> {
    if (hasWaited && !isFresh(readSession(userId))) await store.nextChange(settleMs)
    return readSession(userId)
  }

  return { get }
}

function isFresh({ expiresAt }: Session): boolean {
  return expiresAt - Date.now() > refreshMarginMs
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
