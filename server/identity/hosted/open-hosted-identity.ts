import type { Config } from '../../config/config.ts'
import type { Identity, IdentityDeps, IdentityOptions } from '../identity.ts'
import { asymmetricAlgorithms, createCachedTokenVerifier } from '../sessions/token-verifier.ts'
import type { UpsertUser } from '../users/upsert-user.ts'
import { findUserRow } from '../users/user-store.ts'
import { createFetchProfile, createHostedKeys, type Discovery } from './hosted-provider.ts'

/** `browserOrigins` repeats a failed discovery after this time. */
const retryDelayMs = 5_000

/** Uses the OpenID provider of `OIDC_ISSUER` for sign-in. The server starts even if the provider cannot be reached. */
export async function openHostedIdentity(
  { config, database, now }: Pick<IdentityDeps, 'config' | 'database' | 'now'>,
  { issuer, clientId, audience }: NonNullable<Config['oidc']>,
  { upsertUser, guard }: Pick<IdentityOptions, 'guard'> & { readonly upsertUser: UpsertUser },
): Promise<Identity> {
  const keys = createHostedKeys(issuer, guard)
  const verifyToken = createCachedTokenVerifier({
    findKey: keys.findKey,
    algorithms: asymmetricAlgorithms,
    issuer,
    audience,
    refuseIdTokens: audience === clientId,
    now,
  })
  const fetchProfile = createFetchProfile(keys.discover, guard, now)
  let origins = listOrigins(issuer, undefined)
  let nextTryAt = 0
  const updateOrigins = async (): Promise<void> => {
    nextTryAt = now() + retryDelayMs
    const discovery = await keys.discover().catch(() => undefined)
    if (discovery === undefined) return
    nextTryAt = Infinity
    origins = listOrigins(issuer, discovery)
  }
  await updateOrigins()
  return {
    needsSetUp: () => Promise.resolve(false),
    clientSettings: { issuer, clientId, audience, googleParams: config.googleParams, embedded: false },
    browserOrigins() {
      if (now() >= nextTryAt) void updateOrigins()
      return origins
    },
    setUpUrl: null,
    sessions: null,
    async verify(token) {
      const claims = await verifyToken(token)
      const profile = await fetchProfile(token, claims)
      // Read for every request, so that disabling a user takes effect at once on every node.
      return upsertUser(issuer, claims.sub, profile, await findUserRow(database.db, issuer, claims.sub))
    },
    register: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

/** Some providers serve their endpoints from other origins than that of the issuer. */
function listOrigins(issuer: string, discovery: Discovery | undefined): readonly string[] {
  const { jwks_uri, token_endpoint, revocation_endpoint } = discovery ?? {}
  const addresses = [issuer, jwks_uri, token_endpoint, revocation_endpoint]
  return [...new Set(addresses.flatMap((address) => (address === undefined ? [] : new URL(address).origin)))]
}
