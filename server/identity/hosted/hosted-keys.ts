import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose'
import { z } from 'zod'
import type { GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'
import { AppError } from '../../lib/app-error.ts'
import { keepResult } from '../../lib/keep-result.ts'

export const providerTimeoutMs = 10_000
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
