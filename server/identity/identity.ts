import type { ClientSettings } from '@yonder/contract/identity'
import type { FastifyInstance } from 'fastify'
import type { Sessions } from './sessions/sessions.ts'
import type { User } from './user.ts'

/** Who may come in: the embedded provider, or one elsewhere. */
export interface Identity {
  /** What the browser needs to sign in. */
  readonly clientSettings: ClientSettings['identity']
  /** Origins the browser speaks to while signing in, besides our own, as far as they are known; the same list until that changes. */
  readonly browserOrigins: () => readonly string[]
  /** Where the first account is made on an installation that is closed; null when there is nothing to set up. */
  readonly setUpUrl: string | null
  /**
   * The person an access token stands for; at first sight they are stored.
   * @throws AppError `unauthenticated` for a token that is not good, `identity_unavailable` when it cannot be checked
   */
  verify(token: string): Promise<User>
  /** Null where the provider does not tell when one ends. */
  readonly sessions: Sessions | null
  /** Mounts what the provider serves, if it is embedded. */
  register(app: FastifyInstance): Promise<void>
  close(): Promise<void>
}
