import type { IDToken, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client'
import type { IdentityUser } from './identity-state.ts'
import type { Session } from './session-store.ts'

/** The lifetime of an access token whose provider does not give one. */
const defaultLifetimeMs = 5 * 60_000

type Answer = TokenEndpointResponse & TokenEndpointResponseHelpers

/**
 * The session to store after a checked response. A refresh without a new refresh or ID token keeps the old one; a refresh for
 * another user throws.
 */
export function toSession(answer: Answer, now: number, known: Session | null): Session {
  const claims = answer.claims()
  const user = claims === undefined ? known?.user : toUser(claims)
  const idToken = answer.id_token ?? known?.idToken
  if (user === undefined || idToken === undefined) throw new Error('The response has no ID token.')
  if (known !== null && known.user.sub !== user.sub) {
    throw new Error('The refreshed ID token belongs to another user.')
  }
  const seconds = answer.expiresIn()
  return {
    accessToken: answer.access_token,
    expiresAt: now + (seconds === undefined ? defaultLifetimeMs : seconds * 1000),
    refreshToken: answer.refresh_token ?? known?.refreshToken ?? null,
    idToken,
    user,
  }
}

function toUser({ sub, name, email, picture }: IDToken): IdentityUser {
  return { sub, name: readText(name), email: readText(email), picture: readText(picture) }
}

function readText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
