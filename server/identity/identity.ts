import type { ClientSettings } from '@yonder/contract/identity'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'
import type { Database, Db } from '../db/database.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { Sessions } from './sessions/sessions.ts'
import type { User } from './user.ts'

/** Sign-in: by the embedded provider, or by a hosted one. */
export interface Identity {
  /** What the browser needs to sign in. */
  readonly clientSettings: ClientSettings['identity']
  /** Origins that the browser connects to while signing in, besides our own; the same list until it changes. */
  readonly browserOrigins: () => readonly string[]
  /** Where the first account of a closed installation is made; null when there is nothing to set up. */
  readonly setUpUrl: string | null
  /**
   * The user of an access token, stored when first seen.
   * @throws AppError `unauthenticated` for an invalid token, `identity_unavailable` when it cannot be checked
   */
  readonly verify: (token: string) => Promise<User>
  /** Null when the provider does not report the end of a session. */
  readonly sessions: Sessions | null
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
}

export interface IdentityOptions {
  readonly onNewUser: OnNewUser
  /** Sends the requests to a hosted provider. */
  readonly fetch?: typeof globalThis.fetch
}
