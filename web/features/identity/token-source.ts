import type { IDToken, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client'
import { explain } from './identity-state.ts'
import type { OpenIdClient } from './open-id-client.ts'
import type { IdentityUser, Session, SessionStore } from './session-store.ts'

/** The session has ended in this browser or at the provider, and is no longer stored. */
export class SignedOutError extends Error {
  override readonly name = 'SignedOutError'
  /** Why, for the user. Undefined when the user knows. */
  readonly reason: string | undefined

  constructor(
    message: string,
    { reason, cause }: { readonly reason?: string; readonly cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.reason = reason
  }
}

/** With these errors the provider says that only a new sign-in gives another token. */
const finalErrors = new Set(['invalid_grant', 'interaction_required', 'login_required', 'consent_required'])

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

/**
 * Returns a function that reads the access token from the store, and refreshes it shortly before it expires. It returns
 * a token of the user with this id, or of the stored session's user when it is omitted, and never the token of another
 * user who has signed in in this browser meanwhile. It throws a SignedOutError, a TimeoutError when another tab holds
 * the lock for too long, or the failure of the request. Concurrent calls in a tab share one refresh, and only one tab
 * refreshes at a time.
 */
export function createTokenSource(
  store: SessionStore,
  openClient: () => Promise<OpenIdClient>,
): (userId?: string) => Promise<string> {
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
          resolve(isFresh(session) ? session : await refreshSession(store, openClient, session))
          await pause(settleMs)
        })
        .catch(reject)
    })
  }

  /** Reads the session again, since another tab can have refreshed or cleared it while this tab waited. */
  async function readCurrent(userId: string, hasWaited: boolean): Promise<Session> {
    if (hasWaited && !isFresh(readSession(userId))) await store.nextChange(settleMs)
    return readSession(userId)
  }

  return get
}

function isFresh({ expiresAt }: Session): boolean {
  return expiresAt - Date.now() > refreshMarginMs
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/**
 * Exchanges the refresh token of `previous` for a new access token and stores the new session. Without a refresh token,
 * or when the provider asks for a new sign-in, the session is removed; after any other failure the user stays signed in.
 * @throws SignedOutError, or the failure of the request
 */
export async function refreshSession(
  store: SessionStore,
  openClient: () => Promise<OpenIdClient>,
  previous: Session,
): Promise<Session> {
  if (previous.refreshToken === null) {
    // Another user may have signed in since the session was read.
    if (store.read()?.accessToken === previous.accessToken) store.clear()
    throw new SignedOutError('The access token has expired and cannot be refreshed.', {
      reason: 'The sign-in has expired, and the provider gave no refresh token (scope offline_access).',
    })
  }
  const isStored = (): boolean => store.read()?.refreshToken === previous.refreshToken
  const { library, configuration } = await openClient()
  try {
    const response = await library.refreshTokenGrant(configuration, previous.refreshToken)
    const session = toSession(response, Date.now(), previous)
    // The user may have signed out during the request.
    if (!isStored()) throw new SignedOutError('Signed out meanwhile.')
    store.write(session)
    return session
  } catch (error) {
    if (!(error instanceof library.ResponseBodyError) || !finalErrors.has(error.error)) throw error
    if (isStored()) store.clear()
    throw new SignedOutError('The sign-in has ended.', {
      reason: (await explain(error)).sentence,
      cause: error,
    })
  }
}

/** The lifetime of an access token when the provider does not state it. */
const defaultLifetimeMs = 5 * 60_000

type TokenResponse = TokenEndpointResponse & TokenEndpointResponseHelpers

/**
 * Returns the session to store after a validated response. `previous` is the session before a refresh: its refresh
 * token and ID token stay if the response has no new ones. `now` is in milliseconds since 1970.
 * @throws if there is no ID token, or a refresh returns one of another user
 */
export function toSession(response: TokenResponse, now: number, previous: Session | null): Session {
  const claims = response.claims()
  const user = claims === undefined ? previous?.user : toUser(claims)
  const idToken = response.id_token ?? previous?.idToken
  if (user === undefined || idToken === undefined) throw new Error('The response has no ID token.')
  if (previous !== null && previous.user.sub !== user.sub) {
    throw new Error('The refreshed ID token belongs to another user.')
  }
  const seconds = response.expiresIn()
  return {
    accessToken: response.access_token,
    expiresAt: now + (seconds === undefined ? defaultLifetimeMs : seconds * 1000),
    refreshToken: response.refresh_token ?? previous?.refreshToken ?? null,
    idToken,
    user,
  }
}

function toUser({ sub, name, email, picture }: IDToken): IdentityUser {
  return { sub, name: nonEmptyText(name), email: nonEmptyText(email), picture: nonEmptyText(picture) }
}

function nonEmptyText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
