import { errors, jwtVerify } from 'jose'
import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import { LRUCache } from 'lru-cache'
import { AppError } from '../../lib/app-error.ts'

/** Seconds that two clocks may differ, in either direction. */
export const clockLeeway = 60

/** In seconds. An `exp` in milliseconds by mistake lies far beyond it. */
const maxLifetime = 366 * 86_400

/** Only asymmetric ones: with a shared secret, everyone who can verify a token can also issue one. */
export const asymmetricAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

/** Claims that only an ID token carries. */
const idTokenMarks = ['nonce', 'at_hash', 'c_hash']
/** Values of `typ` by which Keycloak marks other tokens. */
const otherTypes = new Set<unknown>(['ID', 'Refresh', 'Offline', 'Logout'])

export interface TokenCheck {
  /** Throws AppError `identity_unavailable` when the keys cannot be loaded, and a jose error when none matches. */
  readonly keys: JWTVerifyGetKey
  readonly algorithms: readonly string[]
  readonly issuer: string
  readonly audience: string
  /** The `typ` of the header, when the provider always sets one. */
  readonly type?: string
  /** Set when ID tokens have the API's audience too; they are recognized by their own claims. */
  readonly refuseIdTokens: boolean
  readonly now: () => number
}

export type AccessClaims = JWTPayload & { readonly sub: string; readonly exp: number }

/**
 * Checks signature, issuer, audience and times of an access token.
 * @throws AppError `unauthenticated` | `identity_unavailable`
 */
export async function verifyAccessToken(token: string, check: TokenCheck): Promise<AccessClaims> {
  const { keys, algorithms, issuer, audience, type, now } = check
  const seconds = now() / 1000
  try {
    const { payload } = await jwtVerify(token, keys, {
      algorithms: [...algorithms],
      issuer,
      audience,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: clockLeeway,
      currentDate: new Date(now()),
      ...(type === undefined ? {} : { typ: type }),
    })
    const { sub, exp } = payload
    if (typeof sub !== 'string' || sub === '' || exp === undefined || exp > seconds + maxLifetime) {
      throw refusal('its claims are not those of an access token')
    }
    if (otherTypes.has(payload['typ'])) throw refusal('it is not an access token')
    if (check.refuseIdTokens && idTokenMarks.some((mark) => mark in payload)) {
      throw refusal('it is an ID token')
    }
    return { ...payload, sub, exp }
  } catch (error) {
    if (error instanceof AppError) throw error
    if (error instanceof errors.JWTExpired) throw refusal('it has expired', error)
    if (error instanceof errors.JOSEError) throw refusal('it does not pass the checks', error)
    throw error
  }
}

function refusal(reason: string, cause?: unknown): AppError {
  return new AppError('unauthenticated', `The access token was refused: ${reason}.`, { cause })
}

/** How long a verified token is trusted again without its signature; also how long a withdrawn key still counts. */
const maxCacheMs = 60_000
const maxCachedTokens = 1_000

/**
 * Verifies access tokens like `verifyAccessToken`, and computes the signature of the same token once a minute: it costs
 * more than anything else before the first token of a reply. A token that has expired is always verified again.
 */
export function createCachedTokenVerifier(check: TokenCheck): (token: string) => Promise<AccessClaims> {
  const verified = new LRUCache<string, { readonly claims: AccessClaims; readonly until: number }>({
    max: maxCachedTokens,
  })

  return async function verifyCached(token) {
    const now = check.now()
    const cached = verified.get(token)
    if (cached !== undefined && cached.until > now) return cached.claims
    const claims = await verifyAccessToken(token, check)
    verified.set(token, { claims, until: Math.min(now + maxCacheMs, claims.exp * 1000) })
    return claims
  }
}
