import type { OpenIdClient } from './open-id-client.ts'
import type { Session, SessionStore } from './session-store.ts'
import { SignedOutError } from './signed-out-error.ts'
import { toSession } from './to-session.ts'

/**
 * Exchanges the refresh token of `previous` for a new access token and stores the new session. Without a refresh token,
 * or when the provider refuses it, the session is removed; after any other failure the user stays signed in.
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
    throw new SignedOutError('The access token has expired and cannot be refreshed.')
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
    if (!(error instanceof library.ResponseBodyError) || error.error !== 'invalid_grant') throw error
    if (isStored()) store.clear()
    throw new SignedOutError('The sign-in has ended.', { cause: error })
  }
}
