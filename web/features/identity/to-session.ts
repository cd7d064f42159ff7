import type { IDToken, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client'
import type { IdentityUser } from './identity-state.ts'
import type { Session } from './session-store.ts'

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
