import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose'
import { LRUCache } from 'lru-cache'
import { AppError } from '../../lib/app-error.ts'

/** How far the clocks of the provider and of this server may differ, in either direction. */
export const clockLeewaySeconds = 60

/** Tokens that are valid for longer are refused: the provider has set `exp` in milliseconds by mistake. */
const maxLifetimeSeconds = 366 * 86_400

/** Symmetric algorithms are not accepted, because a key that verifies their tokens can also sign them. */
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
const idTokenClaims = ['nonce', 'at_hash', 'c_hash']
/** The `typ` claim of Keycloak's tokens that are not access tokens. */
const otherTokenTypes = new Set<unknown>(['ID', 'Refresh', 'Offline', 'Logout'])

/** What an access token must fulfil. */
export interface TokenRequirements {
  /**
   * Throws when the keys cannot be loaded: AppError `identity_unavailable` for a hosted provider, the error of the
   * database for the embedded one. Throws a jose error when no key matches.
   */
  readonly findKey: JWTVerifyGetKey
  readonly algorithms: readonly string[]
  readonly issuer: string
  readonly audience: string
  /** The `typ` in the header, if the provider always sets it. */
  readonly type?: string
  /** True when ID tokens have the same audience. They are recognised by the claims that only they have. */
  readonly refuseIdTokens: boolean
  readonly now: () => number
}

export type AccessClaims = JWTPayload & { readonly sub: string; readonly exp: number }

/**
 * Verifies the signature, issuer, audience and times of an access token.
 * @throws AppError `unauthenticated`, and what `findKey` throws when the keys cannot be loaded
 */
async function verifyAccessToken(token: string, requirements: TokenRequirements): Promise<AccessClaims> {
  const { findKey, algorithms, issuer, audience, type, now } = requirements
  const seconds = now() / 1000
  try {
    const { payload } = await jwtVerify(token, findKey, {
      algorithms: [...algorithms],
      issuer,
      audience,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: clockLeewaySeconds,
      currentDate: new Date(now()),
      ...(type === undefined ? {} : { typ: type }),
    })
    const { sub, exp } = payload
    if (typeof sub !== 'string' || sub === '' || exp === undefined || exp > seconds + maxLifetimeSeconds) {
      throw createRefusal('is not valid')
    }
    if (otherTokenTypes.has(payload['typ'])) throw createRefusal('is a token of another type')
    if (requirements.refuseIdTokens && idTokenClaims.some((claim) => claim in payload)) {
      throw createRefusal('is an ID token')
    }
    return { ...payload, sub, exp }
  } catch (error) {
    if (error instanceof AppError) throw error
    if (error instanceof errors.JWTExpired) throw createRefusal('has expired', error)
    if (error instanceof errors.JOSEError) throw createRefusal('is not valid', error)
    throw error
  }
}

function createRefusal(problem: string, cause?: unknown): AppError {
  return new AppError('unauthenticated', `The access token ${problem}. Sign in again.`, { cause })
}

/** A token is accepted for this time without verifying it again, also after the provider has withdrawn its key. */
const maxCacheMs = 60_000
const maxCachedTokens = 1_000

/**
 * Returns a function that verifies access tokens. It does not verify a token again for a minute, unless 1,000 others
 * were used since, because a browser sends the same token with many requests. The cache accepts no token that has
 * expired.
 */
export function createCachedTokenVerifier(
  requirements: TokenRequirements,
): (token: string) => Promise<AccessClaims> {
  const verified = new LRUCache<string, { readonly claims: AccessClaims; readonly until: number }>({
    max: maxCachedTokens,
  })

  return async function verifyCached(token) {
    const now = requirements.now()
    const cached = verified.get(token)
    if (cached !== undefined && cached.until > now) return cached.claims
    const claims = await verifyAccessToken(token, requirements)
    verified.set(token, { claims, until: Math.min(now + maxCacheMs, claims.exp * 1000) })
    return claims
  }
}
