import type { ClientSettings } from '@yonder/contract/identity'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'
import type { Database, Db } from '../db/database.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { GuardedFetch } from '../http/outgoing/guarded-fetch.ts'
import type { PasswordHasher } from './accounts/hash-password.ts'
import type { EmbeddedSessions } from './sessions/embedded-sessions.ts'
import type { User } from './user.ts'

/** Sign-in, with the embedded OpenID provider ("built-in" in the documentation) or a hosted one (`OIDC_ISSUER`). */
export interface Identity {
  /** What the browser needs to sign in. */
  readonly clientSettings: ClientSettings['identity']
  /** Origins besides our own that the browser connects to while signing in. Returns the same list until it changes. */
  readonly browserOrigins: () => readonly string[]
  /** The link that creates the first account of a closed installation. Null if not needed at the start. */
  readonly setUpUrl: string | null
  /** Whether that link is still needed: false from the first account on. */
  readonly needsSetUp: () => Promise<boolean>
  /**
   * Verifies an access token and returns its user, who is stored with the first token.
   * @throws AppError `unauthenticated` for an invalid token, an ended session or a disabled user,
   * `identity_unavailable` when the keys of a hosted provider cannot be loaded
   */
  readonly verify: (token: string) => Promise<User>
  /**
   * Updates the user of an access token, for whom the hosted provider has issued this ID token, with the name and e-mail
   * that the access token lacks. Null with the embedded provider, whose access tokens have both.
   * @throws AppError as `verify`, and `invalid_request` for an ID token that is not valid or of another user
   */
  readonly readIdToken: ((token: string, idToken: string) => Promise<User>) | null
  /**
   * When the user of an access token has signed in, as an ID token of that sign-in says: a refresh of the tokens does not
   * change it. Null when the provider does not say it. Milliseconds since 1970.
   * @throws AppError as `readIdToken`
   */
  readonly readSignInTime: (token: string, idToken: string) => Promise<number | null>
  /** Null when the provider does not report the end of a session. */
  readonly sessions: Pick<EmbeddedSessions, 'idOf' | 'listEnded' | 'onEnd' | 'notifyEnded'> | null
  /** Registers the routes of the embedded provider, if there is one. */
  register(app: FastifyInstance): Promise<void>
  close(): Promise<void>
}

/** Runs in the transaction that stores a user for the first time. */
export type OnNewUser = (trx: Db, user: User) => Promise<void>

export interface IdentityDeps {
  readonly config: Config
  readonly database: Database
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly passwords: PasswordHasher
}

export interface IdentityOptions {
  readonly onNewUser: OnNewUser
  /** Sends the requests to the hosted provider and to Google, whose addresses the operator has set. */
  readonly guard: Pick<GuardedFetch, 'fetch'>
}
