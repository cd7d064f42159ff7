import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'
import { AppError } from '../../lib/app-error.ts'
import { keepResult } from '../../lib/keep-result.ts'
import type { AccessClaims } from '../sessions/token-verifier.ts'
import { readProfile, type Profile } from '../user.ts'

const providerTimeoutMs = 10_000
/** Unknown key ids cause at most one request in this time. */
const cooldownMs = 10_000

const Discovery = z.object({
  issuer: z.string(),
  jwks_uri: z.url(),
  token_endpoint: z.url().optional(),
  revocation_endpoint: z.url().optional(),
  userinfo_endpoint: z.url().optional(),
})
export type Discovery = z.infer<typeof Discovery>

/**
 * The keys of a hosted provider. When they cannot be loaded, requests get `identity_unavailable` (503), never 401.
 */
export function createHostedKeys(issuer: string, guard: Pick<GuardedFetch, 'fetch'>) {
  /** Returns the discovery document. It is kept after the first successful request. */
  const discover = keepResult(() => fetchDiscovery(issuer, guard))
  const loadKeys = keepResult(async () => {
    const { jwks_uri } = await discover()
    return createRemoteJWKSet(new URL(jwks_uri), {
      timeoutDuration: providerTimeoutMs,
      cooldownDuration: cooldownMs,
      [customFetch]: guard.fetch,
    })
  })
  const findKey: JWTVerifyGetKey = async (header, token) => {
    try {
      const findLoaded = await loadKeys()
      return await findLoaded(header, token)
    } catch (error) {
      if (isUnknownKey(error)) throw error
      throw new AppError(
        'identity_unavailable',
        'The sign-in provider cannot be reached. Try again in a moment.',
        { cause: error },
      )
    }
  }
  return { discover, findKey }
}

/** Whether the keys were loaded, but no single one of them fits the token. */
function isUnknownKey(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  )
}

async function fetchDiscovery(issuer: string, guard: Pick<GuardedFetch, 'fetch'>): Promise<Discovery> {
  const response = await guard.fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
    redirect: 'error',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(providerTimeoutMs),
  })
  if (!response.ok)
    throw new Error(`The provider returned status ${response.status} for its discovery document.`)
  const document = Discovery.parse(await response.json())
  if (document.issuer !== issuer) {
    throw new Error(
      `The issuer in the settings is ${issuer}, but the issuer in the discovery document is ${document.issuer}.`,
    )
  }
  return document
}

/** How long a profile from the userinfo endpoint is used again. An empty one is cached too. */
const maxCacheMs = 10 * 60_000
const maxCachedProfiles = 10_000

/**
 * Returns a function that reads a user's profile: from the claims of the token, or from the userinfo endpoint when the
 * token has neither name nor e-mail. It returns an empty profile when the request fails, because a missing name must
 * not prevent a sign-in. The stored profile then stays as it is.
 */
export function createFetchProfile(
  discover: () => Promise<Discovery>,
  guard: Pick<GuardedFetch, 'fetch'>,
  now: () => number,
) {
  type Cached = { readonly profile: Promise<Partial<Profile>>; readonly until: number }
  const cache = new LRUCache<string, Cached>({ max: maxCachedProfiles })

  return async function fetchProfile(token: string, claims: AccessClaims): Promise<Partial<Profile>> {
    const own = readProfile(claims)
    if (own.name !== undefined || own.email !== undefined) return own
    const cached = cache.get(claims.sub)
    if (cached !== undefined && cached.until > now()) return cached.profile
    const profile = fetchUserinfo(token, claims.sub).catch(() => ({}))
    cache.set(claims.sub, { profile, until: now() + maxCacheMs })
    return profile
  }

  async function fetchUserinfo(token: string, sub: string): Promise<Partial<Profile>> {
    const { userinfo_endpoint: endpoint } = await discover()
    if (endpoint === undefined) return {}
    const response = await guard.fetch(endpoint, {
      redirect: 'error',
      headers: { accept: 'application/json', authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(providerTimeoutMs),
    })
    const info: unknown = response.ok ? await response.json() : null
    if (typeof info !== 'object' || info === null || !('sub' in info) || info.sub !== sub) return {}
    return readProfile({ ...info })
  }
}
