import { createHash } from 'node:crypto'
import * as openid from 'openid-client'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../db/database.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import { keepPendingFederation, takePendingFederation } from './pending-federation.ts'
import { googleConnection } from '../provider/provider-configuration.ts'
import { readProfile } from '../users/read-profile.ts'
import type { Profile } from '../user.ts'

/** Whom Google says it is. */
export interface GooglePerson {
  /** The account here: (issuer, subject), never an e-mail. */
  readonly accountId: string
  readonly profile: Partial<Profile>
  readonly isEmailVerified: boolean
}

export interface GoogleFederation {
  /** Where the browser goes for this interaction. */
  begin(uid: string): Promise<string>
  /** The interaction that an answer is for; the browser must prove by its cookie that it is its own. */
  readUid(state: unknown): string | null
  /** Checks an answer, once. Throws when anything about it is wrong. */
  finish(uid: string, search: string): Promise<GooglePerson>
}

const realGoogle = 'https://accounts.google.com'
/** Seconds that Google may take to answer a request. */
const timeout = 10

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
      await keepPendingFederation(db, sealer, pending, now())
      return openid.buildAuthorizationUrl(configuration, {
        redirect_uri: callback,
        scope: 'openid profile email',
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
        // Google's own word; a strict provider of another kind would refuse it.
        ...(google.issuer === realGoogle ? { prompt: 'select_account' } : {}),
      }).href
    },
    readUid: (state) => /^([\w-]+)\.[\w-]+$/.exec(String(state))?.[1] ?? null,
    async finish(uid, search) {
      const answer = new URL(callback + search)
      const state = answer.searchParams.get('state') ?? ''
      if (!state.startsWith(`${uid}.`)) throw new Error('The answer is for another sign-in.')
      const pending = await takePendingFederation(db, sealer, state, now())
      const tokens = await openid.authorizationCodeGrant(await open(), answer, {
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        pkceCodeVerifier: pending.verifier,
        idTokenExpected: true,
      })
      return readPerson(google.issuer, tokens.claims())
    },
  }
}

function readPerson(issuer: string, claims: openid.IDToken | undefined): GooglePerson {
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
    timeout,
    execute: [openid.enableNonRepudiationChecks, ...insecure],
  })
}

/** `google-oauth2|<subject>` is also what a well-known hosted provider calls them, so people survive a move there. */
function toAccountId(issuer: string, subject: string): string {
  if (issuer === realGoogle) return `${googleConnection}|${subject}`
  const other = createHash('sha256').update(issuer).digest('hex').slice(0, 8)
  return `${googleConnection}|${other}|${subject}`
}
