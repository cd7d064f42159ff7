import type { OpenIdClient } from './open-id-client.ts'
import type { Session, SessionStore } from './session-store.ts'
import { SignedOutError } from './signed-out-error.ts'
import { toSession } from './to-session.ts'

/**
 * Exchanges the refresh token for a new access token and stores the new session. Only if the provider refuses the
 * refresh token is the session removed; after any other failure the user stays signed in (§15.9, §15.13).
 * @throws SignedOutError, or the failure of the request
 */
export async function refreshSession(
  store: SessionStore,
  openClient: () => Promise<OpenIdClient>,
  known: Session,
): Promise<Session> {
  if (known.refreshToken === null) {
    store.clear()
    throw new SignedOutError('The access token has expired and cannot be refreshed.')
  }
  const isStored = (): boolean => store.read()?.refreshToken === known.refreshToken
  const { library, configuration } = await openClient()
  try {
    const response = await library.refreshTokenGrant(configuration, known.refreshToken)
    const session = toSession(response, Date.now(), known)
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
