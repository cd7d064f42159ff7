import { createHash } from 'node:crypto'
import * as openid from 'openid-client'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../db/database.ts'
import { signInRecordContext } from '../../db/secrets/seal-contexts.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import type { GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'
import { keepResult } from '../../lib/keep-result.ts'
import { federationModel, type LimitRecords } from '../provider/limit-records.ts'
import {
  hashRecordId,
  consumeRecord,
  deleteRecord,
  findRecord,
  upsertRecord,
} from '../provider/oidc-store.ts'
import { googleConnection } from '../provider/provider-configuration.ts'
import { lifetimeSeconds } from '../provider/token-lifetimes.ts'
import { readProfile, type Profile } from '../user.ts'

/** A user whom Google has authenticated. */
export interface GoogleUser {
  /** The id of the account at the embedded provider. It is derived from issuer and subject, never from the e-mail. */
  readonly accountId: string
  readonly profile: Partial<Profile>
  readonly isEmailVerified: boolean
}

export type GoogleFederation = ReturnType<typeof createGoogleFederation>

const googleIssuer = 'https://accounts.google.com'
const timeoutSeconds = 10

interface GoogleFederationOptions {
  readonly google: NonNullable<Config['google']>
  readonly issuer: string
  readonly db: Db
  readonly sealer: Sealer
  readonly now: () => number
  readonly guard: Pick<GuardedFetch, 'fetch'>
  readonly limitRecords: LimitRecords
}

/** The embedded provider as a client of Google. Code, PKCE verifier, state and nonce belong to one interaction. */
export function createGoogleFederation(options: GoogleFederationOptions) {
  const { google, issuer, db, sealer, now, guard } = options
  const callback = `${issuer}/federated/callback`
  const configure = keepResult(() => discover(google, guard))

  return {
    /** Starts the sign-in of an interaction and returns the address at Google to which the browser is redirected. */
    async startSignIn(uid: string): Promise<string> {
      const client = await configure()
      const pending = {
        state: `${uid}.${openid.randomState()}`,
        nonce: openid.randomNonce(),
        verifier: openid.randomPKCECodeVerifier(),
      }
      await insertPendingSignIn(options, pending)
      return openid.buildAuthorizationUrl(client, {
        redirect_uri: callback,
        scope: 'openid profile email',
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
        // Some other providers refuse this value.
        ...(google.issuer === googleIssuer ? { prompt: 'select_account' } : {}),
      }).href
    },
    /** The interaction that a `state` belongs to. The caller must check that the browser has its cookie. */
    readInteractionUid: (state: unknown): string | null =>
      /^([\w-]+)\.[\w-]+$/.exec(String(state))?.[1] ?? null,
    /** Verifies Google's response and returns the user. Throws when it is not valid or was already used. */
    async finishSignIn(uid: string, search: string): Promise<GoogleUser> {
      const response = new URL(callback + search)
      const state = response.searchParams.get('state') ?? ''
      if (!state.startsWith(`${uid}.`)) throw new Error('The response belongs to another sign-in.')
      const pending = await takePendingSignIn(db, sealer, state, now())
      const tokens = await openid.authorizationCodeGrant(await configure(), response, {
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        pkceCodeVerifier: pending.verifier,
        idTokenExpected: true,
      })
      return readGoogleUser(google.issuer, tokens.claims())
    },
  }
}

function readGoogleUser(issuer: string, claims: openid.IDToken | undefined): GoogleUser {
  if (claims === undefined) throw new Error('Google sent no ID token.')
  return {
    accountId: toAccountId(issuer, claims.sub),
    profile: readProfile(claims),
    isEmailVerified: claims['email_verified'] === true,
  }
}

function discover(
  { issuer, clientId, clientSecret }: NonNullable<Config['google']>,
  guard: Pick<GuardedFetch, 'fetch'>,
) {
  const insecure = issuer.startsWith('http:') ? [openid.allowInsecureRequests] : []
  return openid.discovery(new URL(issuer), clientId, clientSecret, undefined, {
    timeout: timeoutSeconds,
    [openid.customFetch]: guard.fetch as openid.CustomFetch,
    execute: [openid.enableNonRepudiationChecks, ...insecure],
  })
}

/** Auth0 uses the form `google-oauth2|<subject>` too, so users keep their subject when an operator moves to Auth0. */
function toAccountId(issuer: string, subject: string): string {
  if (issuer === googleIssuer) return `${googleConnection}|${subject}`
  const other = createHash('sha256').update(issuer).digest('hex').slice(0, 8)
  return `${googleConnection}|${other}|${subject}`
}

/** The values that Google's response is verified against. */
interface PendingSignIn {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

const model = federationModel

/** Stores a pending sign-in, so that any node can verify the response. */
async function insertPendingSignIn(
  { db, sealer, now, limitRecords }: GoogleFederationOptions,
  pending: PendingSignIn,
): Promise<void> {
  const record = { model, id: hashRecordId(pending.state), grant_id: null }
  await upsertRecord(db, {
    ...record,
    payload: sealer.seal(JSON.stringify(pending), signInRecordContext(record)),
    uid: null,
    expires_at: now() + lifetimeSeconds.interaction * 1000,
  })
  await limitRecords(record)
}

/** Deletes and returns a pending sign-in, so that a response is used once. Throws when none has this state. */
async function takePendingSignIn(db: Db, sealer: Sealer, state: string, now: number): Promise<PendingSignIn> {
  const id = hashRecordId(state)
  const record = await findRecord(db, model, id)
  const isFirst = await consumeRecord(db, model, id, now)
  await deleteRecord(db, model, id)
  if (record === undefined || !isFirst)
    throw new Error('The response was already used, or its sign-in has expired.')
  return JSON.parse(sealer.open(record.payload, signInRecordContext(record))) as PendingSignIn
}
