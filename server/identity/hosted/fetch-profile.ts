import { LRUCache } from 'lru-cache'
import type { GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'
import type { AccessClaims } from '../sessions/token-verifier.ts'
import { readProfile, type Profile } from '../user.ts'
import { providerTimeoutMs, type Discovery } from './hosted-keys.ts'

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
