import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Db } from '../../db/database.ts'
import { AppError } from '../../lib/app-error.ts'
import { readSignUpPolicy } from '../accounts/create-account.ts'
import { createSetUpCheck, ensureSetUpToken } from '../accounts/set-up-token.ts'
import { createSignInLimiter } from '../accounts/sign-in-limiter.ts'
import { createGoogleFederation } from '../google/google-federation.ts'
import type { Identity, IdentityDeps, IdentityOptions } from '../identity.ts'
import { registerPages } from '../pages/register-pages.ts'
import { EmbeddedSessions, grantClaim } from '../sessions/embedded-sessions.ts'
import { deleteExpiredRevokedGrants } from '../sessions/grant-store.ts'
import { deleteOldSignIns } from '../sessions/sign-in-store.ts'
import { createCachedTokenVerifier } from '../sessions/token-verifier.ts'
import { readProfile } from '../user.ts'
import type { UpsertUser } from '../users/upsert-user.ts'
import { readOwnIssuer } from '../users/user-store.ts'
import { ensureIdentityKeys } from './identity-keys.ts'
import { createRecordLimiter, type LimitRecords } from './limit-records.ts'
import { createRequestLimit } from './limit-requests.ts'
import { mountProvider } from './mount-provider.ts'
import { deleteExpiredRecords } from './oidc-store.ts'
import { createProvider, type LazyProvider } from './provider.ts'
import { lifetimeSeconds } from './token-lifetimes.ts'

const clientId = 'yonder'
/** The form of the provider's own access tokens. */
const tokenFormat = { algorithms: ['RS256'], type: 'at+jwt', refuseIdTokens: false } as const
/** Empty, because the provider has the origin of the app. */
const otherOrigins: readonly string[] = []
const minuteMs = 60_000

export interface EmbeddedIdentityOptions extends Pick<IdentityOptions, 'guard'> {
  readonly upsertUser: UpsertUser
}

/** Opens the OpenID provider in this process. Its access tokens are verified with its own keys, without a request. */
export async function openEmbeddedIdentity(
  deps: IdentityDeps,
  { upsertUser, guard }: EmbeddedIdentityOptions,
): Promise<Identity> {
  const { config, database, sealer, now } = deps
  const { db } = database
  const { publicUrl } = config
  const issuer = `${publicUrl}/oidc`
  const audience = `${publicUrl}/api`
  const ownIssuer = await readOwnIssuer(db)
  const keys = await ensureIdentityKeys({ db, sealer, now })
  const sessions = new EmbeddedSessions({ db, sealer, issuer: ownIssuer, now })
  const options = {
    clientId,
    audience,
    publicUrl,
    revokeGrant: (grantId: string) => sessions.end(grantId),
    endExcessSignIns: (accountId: string) => sessions.endExcessSignIns(accountId),
  }
  const limitRecords = createRecordLimiter(db)
  const { dialect } = database
  const provider = createProvider({ ...options, db, dialect, sealer, keys, issuer, now, limitRecords })
  const setUpToken = config.signUp === 'closed' ? await ensureSetUpToken(db, sealer, now()) : null
  const needsSetUp = createSetUpCheck(db, setUpToken !== null)
  const findKey = keys.signing.findPublicKey
  const verifyToken = createCachedTokenVerifier({ ...tokenFormat, findKey, issuer, audience, now })
  const cleanupTimer = startCleanup(db, now)

  return {
    clientSettings: { issuer, clientId, audience, googleParams: config.googleParams, embedded: true },
    browserOrigins: () => otherOrigins,
    needsSetUp,
    setUpUrl: setUpToken === null ? null : `${issuer}/set-up?token=${setUpToken}`,
    sessions,
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
    register: (app) =>
      registerProvider(app, deps, {
        provider,
        sessions,
        formKey: keys.form,
        guard,
        limitRecords,
        needsSetUp,
      }),
    async close() {
      clearInterval(cleanupTimer)
    },
  }
}

interface ProviderParts {
  readonly provider: LazyProvider
  readonly sessions: EmbeddedSessions
  readonly formKey: string
  readonly guard: EmbeddedIdentityOptions['guard']
  readonly limitRecords: LimitRecords
  readonly needsSetUp: () => Promise<boolean>
}

/** Registers the provider and its pages, whose requests are limited together. */
async function registerProvider(
  app: FastifyInstance,
  { config, database, sealer, now, passwords }: IdentityDeps,
  { provider, sessions, formKey, guard, limitRecords, needsSetUp }: ProviderParts,
): Promise<void> {
  const { issuer } = provider
  const { oidc, signIn } = config.rateLimits
  const signInLimiter = createSignInLimiter(app, { perMinute: signIn, now, wait })
  const limitRequest = createRequestLimit(app, { base: new URL(issuer).pathname, perMinute: oidc })
  const { db } = database
  const google =
    config.google === null
      ? null
      : createGoogleFederation({ google: config.google, issuer, db, sealer, now, guard, limitRecords })
  const signUp = readSignUpPolicy(config)
  const shared = { database, sealer, provider, clientId, sessions, now, passwords, signInLimiter }
  const pageDeps = { ...shared, formKey, google, signUp, needsSetUp }
  await app.register(async (scope) => registerPages(scope, pageDeps, limitRequest))
  await mountProvider(app, provider, { limitRequest, dialect: database.dialect })
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
