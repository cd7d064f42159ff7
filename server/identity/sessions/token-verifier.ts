import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  jwtVerify,
  type CryptoKey,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
} from 'jose'
import { LRUCache } from 'lru-cache'
import { AppError } from '../../lib/app-error.ts'
import { toVisibleLine } from '../../lib/text.ts'

/** How far the clocks of the provider and of this server may differ, in either direction. */
export const clockLeewaySeconds = 60

/** Tokens that are valid for longer are refused: the provider has set `exp` in milliseconds by mistake. */
export const maxTokenLifetimeSeconds = 366 * 86_400

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

/** Claims that an ID token carries, and of those that no ID token carries at least one. Authentik's have a `uid`. */
const idTokenClaims = ['nonce', 'at_hash', 'c_hash']
const accessTokenClaims = ['scope', 'scp', 'client_id', 'uid']
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
  try {
    const payload = await verifyJwt(token, requirements)
    if (otherTokenTypes.has(payload['typ']))
      throw createRefusal(`has the type "${String(payload['typ'])}" (typ). ${toOperator}`)
    const has = (claim: string) => claim in payload
    if (requirements.refuseIdTokens && idTokenClaims.some(has) && !accessTokenClaims.some(has))
      throw createRefusal(`is an ID token (nonce, at_hash). ${toOperator}`)
    return payload
  } catch (error) {
    if (error instanceof errors.JOSEError)
      throw createRefusal(explainRefusal(token, requirements, error), error)
    throw error
  }
}

/**
 * Verifies an ID token, whose audience is the client.
 * @throws AppError `invalid_request`, and what `findKey` throws when the keys cannot be loaded
 */
export async function verifyIdToken(token: string, requirements: TokenRequirements): Promise<AccessClaims> {
  try {
    const payload = await verifyJwt(token, requirements)
    const { aud, azp } = payload as JWTPayload & { azp?: unknown }
    if (Array.isArray(aud) && aud.length > 1 && azp !== requirements.audience)
      throw new errors.JWTClaimValidationFailed('unexpected "azp" claim value', payload, 'azp')
    return payload
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error
    throw new AppError('invalid_request', `The ID token is not valid: ${error.message}.`, { cause: error })
  }
}

/** When the user has signed in, in milliseconds since 1970. Null when the ID token does not say it. */
export function readAuthTime({ auth_time: seconds }: AccessClaims): number | null {
  return typeof seconds === 'number' ? seconds * 1000 : null
}

async function verifyJwt(token: string, requirements: TokenRequirements): Promise<AccessClaims> {
  const { findKey, algorithms, issuer, audience, type, now } = requirements
  const { payload } = await verifyWithAnyKey(token, findKey, {
    algorithms: [...algorithms],
    issuer,
    audience,
    requiredClaims: ['exp', 'sub'],
    clockTolerance: clockLeewaySeconds,
    currentDate: new Date(now()),
    ...(type === undefined ? {} : { typ: type }),
  })
  const { sub, exp } = payload
  if (typeof sub !== 'string' || sub === '')
    throw new errors.JWTClaimValidationFailed('"sub" claim is not a text', payload, 'sub')
  if (exp === undefined || exp > now() / 1000 + maxTokenLifetimeSeconds)
    throw new errors.JWTClaimValidationFailed('"exp" claim is not in seconds', payload, 'exp')
  return { ...payload, sub, exp }
}

/** A token that names no key is verified with each key that fits it. */
async function verifyWithAnyKey(
  token: string,
  findKey: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, findKey, options)
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error as AsyncIterable<CryptoKey>) {
      try {
        return await jwtVerify(token, key, options)
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

const maxShownChars = 200
const again = 'Sign in again.'
const toOperator = 'Tell the operator of this server.'

/**
 * Says what is wrong with a token, with what was expected and received. The claims of a token with a wrong signature
 * are shown too, because a token for another API has a signature that only this API can check.
 */
function explainRefusal(
  token: string,
  { algorithms, issuer, audience, now }: TokenRequirements,
  error: errors.JOSEError,
): string {
  const parts = readParts(token)
  if (parts === undefined) {
    const what = token.split('.').length === 5 ? 'is encrypted' : 'is not a JWT'
    return `${what}, so this server cannot verify it: let the provider issue signed JWTs for the audience "${audience}" (OIDC_AUDIENCE). ${toOperator}`
  }
  const { header, claims } = parts
  const { alg, kid } = header
  if (typeof alg !== 'string' || !algorithms.includes(alg))
    return `is signed with ${show(alg)} (alg), and this server accepts ${algorithms.join(', ')}. ${toOperator}`
  if (claims.iss !== issuer)
    return `is from the issuer ${show(claims.iss)} (iss), and this server expects "${issuer}" (OIDC_ISSUER). ${toOperator}`
  if (![claims.aud].flat().includes(audience))
    return `is for the audience ${show(claims.aud)} (aud), and this server expects "${audience}" (OIDC_AUDIENCE). ${toOperator}`
  if (error instanceof errors.JWKSNoMatchingKey)
    return `is signed with the key ${show(kid)} (kid, ${alg}), which the provider does not publish. ${again}`
  if (error instanceof errors.JWSSignatureVerificationFailed) return `has a wrong signature. ${again}`
  const clock = `the clock of this server shows ${new Date(now()).toISOString()}`
  if (error instanceof errors.JWTExpired)
    return `has expired: exp is ${showTime(claims.exp)}, ${clock}. ${again}`
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'nbf')
    return `is not valid yet: nbf is ${showTime(claims.nbf)}, ${clock}. ${again}`
  return `is not valid: ${error.message}. ${again}`
}

function readParts(token: string) {
  try {
    return { header: decodeProtectedHeader(token), claims: decodeJwt(token) }
  } catch {
    return undefined
  }
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : toVisibleLine(JSON.stringify(value).slice(0, maxShownChars))
}

function showTime(seconds: unknown): string {
  const time = new Date(Number(seconds) * 1000)
  return Number.isNaN(time.getTime()) ? show(seconds) : time.toISOString()
}

function createRefusal(problem: string, cause?: unknown): AppError {
  return new AppError('unauthenticated', `The access token ${problem}`, { cause })
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
