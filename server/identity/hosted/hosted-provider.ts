import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTVerifyGetKey } from 'jose'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'
import { AppError } from '../../lib/app-error.ts'
import { keepResult } from '../../lib/keep-result.ts'
import { asymmetricAlgorithms, type AccessClaims } from '../sessions/token-verifier.ts'
import { readProfile, type Profile } from '../user.ts'

const providerTimeoutMs = 10_000
/** Unknown key ids cause at most one request in this time. */
const cooldownMs = 10_000

/** A null or wrong address counts as absent. */
const endpoint = z.url().optional().catch(undefined)

const Discovery = z.object({
  issuer: z.string('The discovery document of the provider names no issuer.'),
  jwks_uri: z.url('The discovery document of the provider has no address of keys (jwks_uri).'),
  authorization_endpoint: endpoint,
  token_endpoint: endpoint,
  revocation_endpoint: endpoint,
  userinfo_endpoint: endpoint,
  id_token_signing_alg_values_supported: z.array(z.string()).optional().catch(undefined),
  scopes_supported: z.array(z.string()).optional().catch(undefined),
  code_challenge_methods_supported: z.array(z.string()).optional().catch(undefined),
})
export type Discovery = z.infer<typeof Discovery>

/** The provider has responded, but cannot be used with these settings. The message is for the operator and the users. */
export class UnusableProviderError extends Error {
  override readonly name = 'UnusableProviderError'
}

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
      throw new AppError('identity_unavailable', describeFailure(error), { cause: error })
    }
  }
  return { discover, findKey }
}

function describeFailure(error: unknown): string {
  if (error instanceof UnusableProviderError) return `Nobody can sign in: ${error.message}`
  // The library reports a response that has no keys, or another status than 200.
  const hasResponded = error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)
  return hasResponded
    ? 'The keys of the sign-in provider cannot be used. Try again in a moment.'
    : 'The sign-in provider cannot be reached. Try again in a moment.'
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
    throw new UnusableProviderError(
      `The provider returned status ${response.status} for its discovery document at ${response.url}.`,
    )
  const parsed = Discovery.safeParse(await response.json().catch(() => undefined))
  if (!parsed.success)
    throw new UnusableProviderError(
      parsed.error.issues[0]?.path.length === 0
        ? `The response at ${response.url} is no discovery document. Check the issuer in the settings.`
        : (parsed.error.issues[0]?.message ?? 'The discovery document of the provider cannot be used.'),
    )
  const document = parsed.data
  if (document.issuer !== issuer) {
    throw new UnusableProviderError(
      document.issuer.includes('{tenantid}')
        ? `The issuer in the settings, ${issuer}, is that of all tenants. Name yours: https://login.microsoftonline.com/<tenant id>/v2.0`
        : `The issuer in the settings is ${issuer}, but the issuer in the discovery document is ${document.issuer}.`,
    )
  }
  return document
}

/** How long a profile from the userinfo endpoint is used again. An empty one is cached too. */
const maxCacheMs = 10 * 60_000
const maxCachedProfiles = 10_000

/** A profile, and the name with which the user signs in, for users without a name. */
export type HostedProfile = Partial<Profile> & { readonly username?: string }

export function readHostedProfile(claims: Readonly<Record<string, unknown>>): HostedProfile {
  const { name: username } = readProfile({ name: claims['preferred_username'] })
  return { ...readProfile(claims), ...(typeof username === 'string' ? { username } : {}) }
}

interface ProfileOptions {
  readonly issuer: string
  readonly clientId: string
  readonly guard: Pick<GuardedFetch, 'fetch'>
  readonly now: () => number
}

/**
 * Returns a function that reads a user's profile: from the claims of the token, or from the userinfo endpoint when the
 * token has neither name nor e-mail. It returns an empty profile when the request fails, because a missing name must
 * not prevent a sign-in. The stored profile then stays as it is.
 */
export function createFetchProfile(
  { discover, findKey }: ReturnType<typeof createHostedKeys>,
  { issuer, clientId, guard, now }: ProfileOptions,
) {
  type Cached = { readonly profile: Promise<HostedProfile>; readonly until: number }
  const cache = new LRUCache<string, Cached>({ max: maxCachedProfiles })

  return async function fetchProfile(token: string, claims: AccessClaims): Promise<HostedProfile> {
    const own = readHostedProfile(claims)
    if (own.name !== undefined || own.email !== undefined) return own
    const cached = cache.get(claims.sub)
    if (cached !== undefined && cached.until > now()) return cached.profile
    const profile = fetchUserinfo(token, claims.sub).then(
      (info) => ({ ...own, ...info }),
      () => own,
    )
    cache.set(claims.sub, { profile, until: now() + maxCacheMs })
    return profile
  }

  async function fetchUserinfo(token: string, sub: string): Promise<HostedProfile> {
    const { userinfo_endpoint: endpoint } = await discover()
    if (endpoint === undefined) return {}
    const response = await guard.fetch(endpoint, {
      redirect: 'error',
      headers: { accept: 'application/json', authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(providerTimeoutMs),
    })
    if (!response.ok) return {}
    const isSigned = response.headers.get('content-type')?.startsWith('application/jwt') === true
    const info: unknown = isSigned ? await readSigned(await response.text()) : await response.json()
    if (typeof info !== 'object' || info === null || !('sub' in info) || info.sub !== sub) return {}
    return readHostedProfile({ ...info })
  }

  async function readSigned(jwt: string): Promise<unknown> {
    const options = { algorithms: asymmetricAlgorithms, issuer, audience: clientId }
    return (await jwtVerify(jwt, findKey, options)).payload
  }
}
