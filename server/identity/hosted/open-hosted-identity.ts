import type { Config } from '../../config/config.ts'
import type { UpsertUser } from '../users/upsert-user.ts'
import { createFetchProfile } from './fetch-profile.ts'
import { asymmetricAlgorithms, createCachedTokenVerifier } from '../sessions/token-verifier.ts'
import { createHostedKeys } from './hosted-keys.ts'
import type { Discovery } from './hosted-keys.ts'
import type { Identity } from '../identity.ts'
import type { OpenIdentityOptions } from '../open-identity.ts'

/** Milliseconds after which a provider that was away is asked again, when somebody comes. */
const discoveryPause = 5_000

export interface HostedOptions extends OpenIdentityOptions {
  readonly oidc: NonNullable<Config['oidc']>
}

/** Any OpenID provider elsewhere. One that is away at start does not stop the start. */
export async function openHostedIdentity(
  { config, oidc, now, fetch = globalThis.fetch }: HostedOptions,
  upsertUser: UpsertUser,
): Promise<Identity> {
  const { issuer, clientId, audience } = oidc
  const keys = createHostedKeys(issuer, fetch)
  const verifyToken = createCachedTokenVerifier({
    keys: keys.find,
    algorithms: asymmetricAlgorithms,
    issuer,
    audience,
    refuseIdTokens: audience === clientId,
    now,
  })
  const fetchProfile = createFetchProfile({ discover: () => keys.discover(), fetch, now })
  let origins = listOrigins(issuer, undefined)
  let nextTry = 0
  const learnOrigins = async (): Promise<void> => {
    nextTry = now() + discoveryPause
    const discovery = await keys.discover().catch(() => undefined)
    if (discovery === undefined) return
    nextTry = Infinity
    origins = listOrigins(issuer, discovery)
  }
  await learnOrigins()
  return {
    clientSettings: { issuer, clientId, audience, googleParams: config.googleParams, embedded: false },
    browserOrigins() {
      if (now() >= nextTry) void learnOrigins()
      return origins
    },
    setUpUrl: null,
    sessions: null,
    async verify(token) {
      const claims = await verifyToken(token)
      return upsertUser(issuer, claims.sub, await fetchProfile(token, claims))
    },
    register: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

/** Some providers serve their endpoints from other origins than their issuer's. */
function listOrigins(issuer: string, discovery: Discovery | undefined): readonly string[] {
  const { jwks_uri, token_endpoint, revocation_endpoint } = discovery ?? {}
  const addresses = [issuer, jwks_uri, token_endpoint, revocation_endpoint]
  return [...new Set(addresses.flatMap((address) => (address === undefined ? [] : new URL(address).origin)))]
}
