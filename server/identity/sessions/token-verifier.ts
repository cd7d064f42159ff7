import { errors, jwtVerify } from 'jose'
import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import { AppError } from '../../lib/app-error.ts'

/** Seconds of difference between two clocks that are forgiven, on both sides. */
export const clockLeeway = 60

/** No real access token lives longer; a time in milliseconds, read as seconds, lies far beyond. */
const longestLife = 366 * 86_400

/** Asymmetric ones alone: with a shared secret, whoever can check a token can make one. */
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
/** How Keycloak names what is not an access token. */
const otherTypes = new Set<unknown>(['ID', 'Refresh', 'Offline', 'Logout'])

export interface TokenCheck {
  /** Throws AppError `identity_unavailable` when the keys cannot be had, and a jose error when none fits. */
  readonly keys: JWTVerifyGetKey
  readonly algorithms: readonly string[]
  readonly issuer: string
  readonly audience: string
  /** The header's `typ`, when the provider is known to set one. */
  readonly type?: string
  /** Where ID tokens have the API's audience too, their marks tell them apart. */
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
    if (typeof sub !== 'string' || sub === '' || exp === undefined || exp > seconds + longestLife) {
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

/** Milliseconds for which a token that passed the checks is known, as a key that the provider withdrew may be. */
const memory = 60_000
const mostRemembered = 1_000

/**
 * Checks access tokens as `verifyAccessToken` does, and computes the signature of the same token once a minute: it costs
 * more than anything else before the first token of a reply. From its expiry on a token is checked anew.
 */
export function createCachedTokenVerifier(check: TokenCheck): (token: string) => Promise<AccessClaims> {
  const known = new Map<string, { readonly claims: AccessClaims; readonly until: number }>()

  return async function verifyCached(token) {
    const now = check.now()
    const remembered = known.get(token)
    if (remembered !== undefined && remembered.until > now) return remembered.claims
    const claims = await verifyAccessToken(token, check)
    if (known.size >= mostRemembered) known.clear()
    known.set(token, { claims, until: Math.min(now + memory, claims.exp * 1000) })
    return claims
  }
}
