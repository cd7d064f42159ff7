import { logError } from '../../lib/log-error.ts'
import type { OpenIdClient } from './open-id-client.ts'
import type { Session } from './session-store.ts'

/** Revokes the refresh token, and returns the address of the provider's sign-out page, or our origin. */
export async function signOutAtProvider(
  { library, configuration }: OpenIdClient,
  session: Session | null,
): Promise<string> {
  const { revocation_endpoint, end_session_endpoint } = configuration.serverMetadata()
  if (session !== null && session.refreshToken !== null && revocation_endpoint !== undefined) {
    await library
      .tokenRevocation(configuration, session.refreshToken, { token_type_hint: 'refresh_token' })
      .catch((error: unknown) => logError('The refresh token could not be revoked', error))
  }
  if (end_session_endpoint === undefined) return location.origin
  const address = library.buildEndSessionUrl(configuration, {
    post_logout_redirect_uri: location.origin,
    ...(session === null ? {} : { id_token_hint: session.idToken }),
  })
  return address.href
}
