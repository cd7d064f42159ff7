import type { Db } from '../../db/database.ts'
import { AppError } from '../../lib/app-error.ts'
import { createProvider, mountProvider } from './provider.ts'
import { EmbeddedSessions, grantClaim } from '../sessions/embedded-sessions.ts'
import { deleteExpiredRevokedGrants, isGrantRevoked } from '../sessions/revoked-grant-store.ts'
import { createGoogleFederation } from '../google/google-federation.ts'
import type { Identity, IdentityDeps } from '../identity.ts'
import { deleteExpiredRecords } from './oidc-store.ts'
import type { UpsertUser } from '../users/upsert-user.ts'
import { readProfile } from '../user.ts'
import { readSigningKeys, requireIdentityKeys, createSharedKeys } from './identity-keys.ts'
import { registerPages } from '../pages/register-pages.ts'
import { createCachedTokenVerifier } from '../sessions/token-verifier.ts'
import { requireSetUpToken } from '../accounts/set-up-routes.ts'
import { readSignUpPolicy } from '../accounts/create-account.ts'

const clientId = 'yonder'
/** None: it is served here. */
const otherOrigins: readonly string[] = []
const minute = 60_000

/** The provider in this process: tokens are checked against its own keys, without a request. */
export async function openEmbeddedIdentity(deps: IdentityDeps, upsertUser: UpsertUser): Promise<Identity> {
  const { config, database, sealer, now } = deps
  const { db } = database
  const { publicUrl } = config
  const issuer = `${publicUrl}/oidc`
  const audience = `${publicUrl}/api`
  const keys = await requireIdentityKeys(db, sealer, now())
  const sessions = new EmbeddedSessions({ db, sealer, issuer, now })
  const client = { clientId, audience, publicUrl, revokeGrant: (grantId: string) => sessions.end(grantId) }
  const provider = await createProvider({ ...client, db, sealer, keys, issuer, now })
  const setUpToken = config.signUp === 'closed' ? await requireSetUpToken(db, sealer, now()) : null
  const verifyToken = createCachedTokenVerifier({
    keys: createSharedKeys(keys.signing, () => readSigningKeys(db, sealer, now()), now),
    algorithms: ['RS256'],
    issuer,
    audience,
    type: 'at+jwt',
    refuseIdTokens: false,
    now,
  })
  const sweep = startSweep(db, now)

  return {
    clientSettings: { issuer, clientId, audience, googleParams: config.googleParams, embedded: true },
    browserOrigins: () => otherOrigins,
    setUpUrl: setUpToken === null ? null : `${issuer}/set-up?token=${setUpToken}`,
    sessions,
    async verify(token) {
      const claims = await verifyToken(token)
      const grantId = claims[grantClaim]
      if (typeof grantId !== 'string' || (await isGrantRevoked(db, grantId))) {
        throw new AppError('unauthenticated', 'The access token was refused: its sign-in has ended.')
      }
      return upsertUser(issuer, claims.sub, {
        name: null,
        email: null,
        picture: null,
        ...readProfile(claims),
      })
    },
    async register(app) {
      const rateLimit = { max: config.rateLimits.signIn, timeWindow: minute, groupId: 'sign-in' }
      const google =
        config.google === null
          ? null
          : createGoogleFederation({ google: config.google, issuer, db, sealer, now })
      const deps = { database, sealer, provider, formKey: keys.form, google, now, limit: { rateLimit } }
      await app.register(async (scope) => registerPages(scope, { ...deps, signUp: readSignUpPolicy(config) }))
      await mountProvider(app, provider)
    },
    async close() {
      clearInterval(sweep)
    },
  }
}

/** Deletes expired records every ten minutes. What a failure leaves is deleted the next time. */
function startSweep(db: Db, now: () => number): NodeJS.Timeout {
  const sweep = () => Promise.all([deleteExpiredRecords(db, now()), deleteExpiredRevokedGrants(db, now())])
  return setInterval(() => void sweep().catch(() => undefined), 10 * minute).unref()
}
