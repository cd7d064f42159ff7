import { createHash } from 'node:crypto'
import * as openid from 'openid-client'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../db/database.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import {
  hashRecordId,
  consumeRecord,
  deleteRecord,
  findRecord,
  upsertRecord,
} from '../provider/oidc-store.ts'
import { googleConnection } from '../provider/provider-configuration.ts'
import { interactionLife } from '../provider/token-lifetimes.ts'
import { readProfile } from '../user.ts'
import type { Profile } from '../user.ts'

/** A user whom Google has authenticated. */
export interface GoogleUser {
  /** The id of the account here, made of issuer and subject, never of the e-mail. */
  readonly accountId: string
  readonly profile: Partial<Profile>
  readonly isEmailVerified: boolean
}

export interface GoogleFederation {
  /** Returns the address at Google for this interaction. */
  begin(uid: string): Promise<string>
  /** The interaction that a response is for. The browser must prove with its cookie that it is its own. */
  readUid(state: unknown): string | null
  /** Checks a response, once. Throws when it is not valid. */
  finish(uid: string, search: string): Promise<GoogleUser>
}

const realGoogle = 'https://accounts.google.com'
const timeoutSeconds = 10

/** The embedded provider as a client of Google: code, PKCE, state and nonce, all bound to one interaction. */
export function createGoogleFederation({
  google,
  issuer,
  db,
  sealer,
  now,
}: {
  readonly google: NonNullable<Config['google']>
  readonly issuer: string
  readonly db: Db
  readonly sealer: Sealer
  readonly now: () => number
}): GoogleFederation {
  const callback = `${issuer}/federated/callback`
  let opening: Promise<openid.Configuration> | undefined
  const open = (): Promise<openid.Configuration> => {
    opening ??= discover(google).catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }

  return {
    async begin(uid) {
      const configuration = await open()
      const pending = {
        state: `${uid}.${openid.randomState()}`,
        nonce: openid.randomNonce(),
        verifier: openid.randomPKCECodeVerifier(),
      }
      await insertPendingFederation(db, sealer, pending, now())
      return openid.buildAuthorizationUrl(configuration, {
        redirect_uri: callback,
        scope: 'openid profile email',
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
        // Specific to Google: another strict provider would refuse it.
        ...(google.issuer === realGoogle ? { prompt: 'select_account' } : {}),
      }).href
    },
    readUid: (state) => /^([\w-]+)\.[\w-]+$/.exec(String(state))?.[1] ?? null,
    async finish(uid, search) {
      const response = new URL(callback + search)
      const state = response.searchParams.get('state') ?? ''
      if (!state.startsWith(`${uid}.`)) throw new Error('The response belongs to another sign-in.')
      const pending = await consumePendingFederation(db, sealer, state, now())
      const tokens = await openid.authorizationCodeGrant(await open(), response, {
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

function discover({ issuer, clientId, clientSecret }: NonNullable<Config['google']>) {
  const insecure = issuer.startsWith('http:') ? [openid.allowInsecureRequests] : []
  return openid.discovery(new URL(issuer), clientId, clientSecret, undefined, {
    timeout: timeoutSeconds,
    execute: [openid.enableNonRepudiationChecks, ...insecure],
  })
}

/** Auth0 uses `google-oauth2|<subject>` too, so accounts survive a move to it. */
function toAccountId(issuer: string, subject: string): string {
  if (issuer === realGoogle) return `${googleConnection}|${subject}`
  const other = createHash('sha256').update(issuer).digest('hex').slice(0, 8)
  return `${googleConnection}|${other}|${subject}`
}

/** The values that a response from Google is checked against. */
export interface PendingFederation {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

const model = 'Federation'

/** Stores it for the lifetime of its sign-in, so that any node can check the response. */
export async function insertPendingFederation(
  db: Db,
  sealer: Sealer,
  pending: PendingFederation,
  now: number,
): Promise<void> {
  await upsertRecord(db, {
    model,
    id: hashRecordId(pending.state),
    payload: sealer.seal(JSON.stringify(pending)),
    grant_id: null,
    uid: null,
    expires_at: now + interactionLife * 1000,
  })
}

/** Deletes and returns it, so that a response is used once. Throws when no sign-in is waiting for the response. */
export async function consumePendingFederation(
  db: Db,
  sealer: Sealer,
  state: string,
  now: number,
): Promise<PendingFederation> {
  const id = hashRecordId(state)
  const record = await findRecord(db, model, id)
  const isFirst = await consumeRecord(db, model, id, now)
  await deleteRecord(db, model, id)
  if (record === undefined || !isFirst) throw new Error('No sign-in is waiting for this response.')
  return JSON.parse(sealer.open(record.payload)) as PendingFederation
}
