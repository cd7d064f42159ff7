import type { Config } from '../../config/config.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Identity, IdentityDeps, IdentityOptions } from '../identity.ts'
import { deleteExpiredRevokedGrants } from '../sessions/sign-in-store.ts'
import {
  asymmetricAlgorithms,
  createCachedTokenVerifier,
  readAuthTime,
  verifyIdToken,
  type AccessClaims,
} from '../sessions/token-verifier.ts'
import type { User } from '../user.ts'
import { accountDeleted, type UpsertUser } from '../users/upsert-user.ts'
import { findUserRow } from '../users/user-store.ts'
import { findDeletionTime } from '../users/withdrawn-store.ts'
import {
  createFetchProfile,
  createHostedKeys,
  readHostedProfile,
  UnusableProviderError,
  type Discovery,
  type HostedProfile,
} from './hosted-provider.ts'

const cleanupIntervalMs = 10 * 60_000

/** `browserOrigins` repeats a failed discovery after this time. */
const retryDelayMs = 5_000

/** Uses the OpenID provider of `OIDC_ISSUER` for sign-in. The server starts even if the provider cannot be reached. */
export async function openHostedIdentity(
  { config, database, now }: Pick<IdentityDeps, 'config' | 'database' | 'now'>,
  { issuer, clientId, audience, name, params }: NonNullable<Config['oidc']>,
  { upsertUser, guard }: Pick<IdentityOptions, 'guard'> & { readonly upsertUser: UpsertUser },
): Promise<Identity> {
  const keys = createHostedKeys(issuer, guard)
  const requirements = {
    findKey: keys.findKey,
    algorithms: asymmetricAlgorithms,
    issuer,
    audience,
    refuseIdTokens: audience === clientId,
    now,
  }
  const verifyToken = createCachedTokenVerifier(requirements)
  const fetchProfile = createFetchProfile(keys, { issuer, clientId, guard, now })
  let problem: string | undefined
  let origins = listOrigins(issuer, undefined)
  let nextTryAt = 0
  const updateOrigins = async (): Promise<void> => {
    nextTryAt = now() + retryDelayMs
    const discovery = await keys.discover().catch((error: unknown) => {
      problem = error instanceof UnusableProviderError ? error.message : undefined
      return undefined
    })
    if (discovery === undefined) return
    problem = undefined
    nextTryAt = Infinity
    origins = listOrigins(issuer, discovery)
  }
  await updateOrigins()
  const cleanUp = () => void deleteExpiredRevokedGrants(database.db, now()).catch(() => undefined)
  const cleanupTimer = setInterval(cleanUp, cleanupIntervalMs).unref()
  const storeUser = async (claims: AccessClaims, { username, ...profile }: HostedProfile): Promise<User> => {
    const subject = claims.sub
    // Read for every request, so that disabling a user takes effect at once on every node.
    const stored = await findUserRow(database.db, issuer, subject)
    if (stored === undefined) await refuseWithdrawn(claims)
    const name = profile.name ?? stored?.name ?? username
    return upsertUser(issuer, subject, { ...profile, ...(name === undefined ? {} : { name }) }, stored)
  }
  /** A token from before the user has deleted the account must not create another one. */
  const refuseWithdrawn = async (claims: AccessClaims): Promise<void> => {
    const deletedAt = await findDeletionTime(database.db, { issuer, subject: claims.sub })
    const signedInAt = readAuthTime(claims) ?? (claims.iat ?? 0) * 1000
    if (deletedAt !== undefined && signedInAt <= deletedAt)
      throw new AppError('unauthenticated', accountDeleted)
  }
  /** @throws AppError as `Identity.readIdToken` */
  const verifyOwnIdToken = async (claims: AccessClaims, idToken: string): Promise<AccessClaims> => {
    const idClaims = await verifyIdToken(idToken, { ...requirements, audience: clientId })
    // Okta's access tokens have the name of the sign-in as `sub`, and the `sub` of the ID token as `uid`.
    if (idClaims.sub !== claims.sub && idClaims.sub !== claims['uid'])
      throw new AppError('invalid_request', 'The ID token belongs to another user.')
    return idClaims
  }
  return {
    needsSetUp: () => Promise.resolve(false),
    get clientSettings() {
      return {
        issuer,
        clientId,
        audience,
        googleParams: config.googleParams,
        ...(Object.keys(params).length === 0 ? {} : { params }),
        embedded: false,
        ...(name === null ? {} : { providerName: name }),
        ...(problem === undefined ? {} : { problem }),
      }
    },
    browserOrigins() {
      if (now() >= nextTryAt) void updateOrigins()
      return origins
    },
    setUpUrl: null,
    sessions: null,
    async verify(token) {
      const claims = await verifyToken(token)
      return storeUser(claims, await fetchProfile(token, claims))
    },
    async readIdToken(token, idToken) {
      const claims = await verifyToken(token)
      const idClaims = await verifyOwnIdToken(claims, idToken)
      // The access token has precedence, because it is read again with every request.
      return storeUser(claims, { ...readHostedProfile(idClaims), ...(await fetchProfile(token, claims)) })
    },
    readSignInTime: async (token, idToken) =>
      readAuthTime(await verifyOwnIdToken(await verifyToken(token), idToken)),
    register: () => Promise.resolve(),
    async close() {
      clearInterval(cleanupTimer)
    },
  }
}

/** Some providers serve their endpoints from other origins than that of the issuer. */
function listOrigins(issuer: string, discovery: Discovery | undefined): readonly string[] {
  const { jwks_uri, token_endpoint, revocation_endpoint } = discovery ?? {}
  const addresses = [issuer, jwks_uri, token_endpoint, revocation_endpoint]
  return [...new Set(addresses.flatMap((address) => (address === undefined ? [] : new URL(address).origin)))]
}
