import type { ClientSettings } from '@yonder/contract/identity'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'
import type { Database, Db } from '../db/database.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { GuardedFetch } from '../http/outgoing/guarded-fetch.ts'
import type { PasswordHasher } from './accounts/hash-password.ts'
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
  /** Null when the provider does not report the end of a session. */
  readonly sessions: Sessions | null
  /** Registers the routes of the embedded provider, if there is one. */
  register(app: FastifyInstance): Promise<void>
  close(): Promise<void>
}

/** The sessions behind access tokens. Each sign-in begins one. */
export interface Sessions {
  /** The id of the session that a verified token belongs to. Null when the token contains none. */
  idOf(token: string): string | null
  /** Ids of the sessions that ended recently, on any node. */
  listEnded(): Promise<readonly string[]>
  /** Calls the listener as soon as a session is ended on this node. */
  onEnd(listener: (ended: EndedSession) => void): void
}

/**
 * A session that this node has ended, for example because the user signed out or set a new password, or because a code
 * or refresh token was used twice.
 */
export interface EndedSession {
  readonly sessionId: string
  /** Null when the user of the session cannot be found. */
  readonly userId: string | null
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
