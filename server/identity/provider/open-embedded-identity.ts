import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Db } from '../../db/database.ts'
import { createFailureLimit } from '../../http/failure-limit.ts'
import { AppError } from '../../lib/app-error.ts'
import { readSignUpPolicy } from '../accounts/create-account.ts'
import { createSetUpCheck, ensureSetUpToken } from '../accounts/set-up-token.ts'
import { createSignInLimiter } from '../accounts/sign-in-limiter.ts'
import { createGoogleFederation } from '../google/google-federation.ts'
import type { Identity, IdentityDeps, IdentityOptions } from '../identity.ts'
import { registerPages } from '../pages/register-pages.ts'
import { EmbeddedSessions, grantClaim } from '../sessions/embedded-sessions.ts'
import { deleteExpiredRevokedGrants, deleteOldSignIns } from '../sessions/sign-in-store.ts'
import { createCachedTokenVerifier, readAuthTime, verifyIdToken } from '../sessions/token-verifier.ts'
import { readProfile } from '../user.ts'
import type { UpsertUser } from '../users/upsert-user.ts'
import { readOwnIssuer } from '../users/user-store.ts'
import { ensureIdentityKeys } from './identity-keys.ts'
import { createRecordLimiter } from './limit-records.ts'
import { createRequestLimit } from './limit-requests.ts'
import { mountProvider } from './mount-provider.ts'
import { deleteExpiredRecords } from './oidc-store.ts'
import { createProvider } from './provider.ts'
import { lifetimeSeconds } from './token-lifetimes.ts'

const clientId = 'yonder'
/** The form of the provider's own access tokens. */
const tokenFormat = { algorithms: ['RS256'], type: 'at+jwt', refuseIdTokens: false } as const
/** Empty, because the provider has the origin of the app. */
const otherOrigins: readonly string[] = []
const minuteMs = 60_000

/** Opens the OpenID provider in this process. Its access tokens are verified with its own keys, without a request. */
export async function openEmbeddedIdentity(
  deps: IdentityDeps,
  { upsertUser, guard }: Pick<IdentityOptions, 'guard'> & { readonly upsertUser: UpsertUser },
): Promise<Identity> {
  const { config, database, sealer, now, passwords } = deps
  const { db, dialect } = database
  const { publicUrl } = config
  const issuer = `${publicUrl}/oidc`
  const audience = `${publicUrl}/api`
  const ownIssuer = await readOwnIssuer(db)
  const keys = await ensureIdentityKeys({ db, sealer, now })
  const sessions = new EmbeddedSessions({ db, sealer, issuer: ownIssuer, now })
  const limitRecords = createRecordLimiter(db)
  const provider = createProvider({
    db,
    dialect,
    sealer,
    keys,
    issuer,
    clientId,
    audience,
    publicUrl,
    now,
    revokeGrant: (grantId) => sessions.end(grantId),
    endExcessSignIns: (accountId) => sessions.endExcessSignIns(accountId),
    limitRecords,
  })
  const setUpToken = config.signUp === 'closed' ? await ensureSetUpToken(db, sealer, now()) : null
  const needsSetUp = createSetUpCheck(db, setUpToken !== null)
  const findKey = keys.signing.findPublicKey
  const verifyToken = createCachedTokenVerifier({ ...tokenFormat, findKey, issuer, audience, now })
  const idTokenFormat = { algorithms: ['RS256'], refuseIdTokens: false, findKey, issuer, now }
  const cleanupTimer = startCleanup(db, now)

  /** Registers the provider and its pages, whose requests are limited together. */
  async function register(app: FastifyInstance): Promise<void> {
    const { oidc, signIn } = config.rateLimits
    const limitRequest = createRequestLimit(app, { base: new URL(issuer).pathname, perMinute: oidc })
    const google =
      config.google === null
        ? null
        : createGoogleFederation({ google: config.google, issuer, db, sealer, now, guard, limitRecords })
    const pageDeps = {
      database,
      sealer,
      provider,
      clientId,
      sessions,
      formKey: keys.form,
      signUp: readSignUpPolicy(config),
      google,
      now,
      passwords,
      signInLimiter: createSignInLimiter({ perMinute: signIn, now, wait }),
      needsSetUp,
    }
    await app.register(async (scope) => registerPages(scope, pageDeps, limitRequest))
    const limitFailures = createFailureLimit({
      perMinute: oidc,
      now,
      refusal: 'Too many requests. Wait a minute, then try again.',
    })
    await mountProvider(app, provider, { limitRequest, limitFailures, dialect })
  }

  return {
    clientSettings: { issuer, clientId, audience, googleParams: config.googleParams, embedded: true },
    browserOrigins: () => otherOrigins,
    needsSetUp,
    setUpUrl: setUpToken === null ? null : `${issuer}/set-up?token=${setUpToken}`,
    sessions,
    readIdToken: null,
    async verify(token) {
      const claims = await verifyToken(token)
      const grantId = claims[grantClaim]
      const session = typeof grantId === 'string' ? await sessions.find(grantId) : undefined
      // A signature alone is not enough: the sign-in must be stored here and be of the same account.
      if (session === undefined || session.accountId !== claims.sub) {
        throw new AppError('unauthenticated', 'Your session has ended. Sign in again.')
      }
      const profile = { name: null, email: null, picture: null, ...readProfile(claims) }
      return upsertUser(ownIssuer, claims.sub, profile, session.user)
    },
    async readSignInTime(token, idToken) {
      const { sub } = await verifyToken(token)
      const claims = await verifyIdToken(idToken, { ...idTokenFormat, audience: clientId })
      if (claims.sub !== sub) throw new AppError('invalid_request', 'The ID token belongs to another user.')
      return readAuthTime(claims)
    },
    register,
    async close() {
      clearInterval(cleanupTimer)
    },
  }
}

/** Deletes expired records every ten minutes. Records that a failed attempt leaves are deleted by the next one. */
function startCleanup(db: Db, now: () => number): NodeJS.Timeout {
  const cleanUp = () =>
    Promise.all([
      deleteExpiredRecords(db, now()),
      deleteExpiredRevokedGrants(db, now()),
      deleteOldSignIns(db, now() - lifetimeSeconds.grant * 1000),
    ])
  return setInterval(() => void cleanUp().catch(() => undefined), 10 * minuteMs).unref()
}
