import type { OpenIdClient } from './open-id-client.ts'
import type { Session, SessionStore } from './session-store.ts'
import { SignedOutError } from './signed-out-error.ts'
import { toSession } from './to-session.ts'

/**
 * Trades the refresh token for a new access token and stores both. Only the provider's word that the sign-in is over
 * clears the store; a failure on the way leaves the person signed in.
 * @throws SignedOutError, or what went wrong on the way
 */
export async function refreshSession(
  store: SessionStore,
  openClient: () => Promise<OpenIdClient>,
  known: Session,
): Promise<Session> {
  if (known.refreshToken === null) {
    store.clear()
    throw new SignedOutError('The access token has expired and cannot be renewed.')
  }
  const isStored = (): boolean => store.read()?.refreshToken === known.refreshToken
  const { library, configuration } = await openClient()
  try {
    const answer = await library.refreshTokenGrant(configuration, known.refreshToken)
    const session = toSession(answer, Date.now(), known)
    // A sign-out while the answer was on its way stands.
    if (!isStored()) throw new SignedOutError('Signed out meanwhile.')
    store.write(session)
    return session
  } catch (error) {
    if (!(error instanceof library.ResponseBodyError) || error.error !== 'invalid_grant') throw error
    if (isStored()) store.clear()
    throw new SignedOutError('The sign-in has ended.', { cause: error })
  }
}
