import type { AccessClaims } from '../sessions/token-verifier.ts'
import type { Profile } from '../user.ts'
import { readProfile } from '../users/read-profile.ts'
import { providerTimeout } from './hosted-keys.ts'
import type { Discovery } from './hosted-keys.ts'

/** Milliseconds for which a profile, or its absence, is not asked for again. */
const memory = 10 * 60_000
const mostRemembered = 10_000

/**
 * The profile behind an access token: its own claims, else the provider's userinfo. When that cannot be had, what is
 * stored stays as it is: a missing name is no reason to keep a person out.
 */
export function createFetchProfile({
  discover,
  fetch,
  now,
}: {
  readonly discover: () => Promise<Discovery>
  readonly fetch: typeof globalThis.fetch
  readonly now: () => number
}) {
  const known = new Map<string, { readonly profile: Promise<Partial<Profile>>; readonly until: number }>()

  return async function fetchProfile(token: string, claims: AccessClaims): Promise<Partial<Profile>> {
    const own = readProfile(claims)
    if (own.name !== undefined || own.email !== undefined) return own
    const remembered = known.get(claims.sub)
    if (remembered !== undefined && remembered.until > now()) return remembered.profile
    if (known.size >= mostRemembered) known.clear()
    const profile = fetchUserinfo(token, claims.sub).catch(() => ({}))
    known.set(claims.sub, { profile, until: now() + memory })
    return profile
  }

  async function fetchUserinfo(token: string, sub: string): Promise<Partial<Profile>> {
    const { userinfo_endpoint: endpoint } = await discover()
    if (endpoint === undefined) return {}
    const response = await fetch(endpoint, {
      redirect: 'error',
      headers: { accept: 'application/json', authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(providerTimeout),
    })
    const info: unknown = response.ok ? await response.json() : null
    if (typeof info !== 'object' || info === null || !('sub' in info) || info.sub !== sub) return {}
    return readProfile({ ...info })
  }
}
