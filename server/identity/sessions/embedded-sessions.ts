import { decodeJwt } from 'jose'
import type { Database } from '../../db/database.ts'
import { openJson } from '../../db/secrets/credential.ts'
import { signInRecordContext } from '../../db/secrets/seal-contexts.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import type { UserRow } from '../../db/tables/tables.ts'
import { SingleFlight } from '../../lib/single-flight.ts'
import { findUserRow } from '../users/user-store.ts'
import { endSignIn, endSignIns, revokeGrant } from './end-sign-ins.ts'
import { findActiveGrant, listRevokedGrants, type ActiveGrant, listSignIns } from './sign-in-store.ts'

/** The claim of an access token with the id of its session, which lets the API refuse tokens of ended sessions. */
export const grantClaim = 'grant_id'

/** Sign-ins that an account may have. More would be scripts, and ending all of them must stay quick. */
const maxSignIns = 100

/** A session that has not ended. */
export interface ActiveSession {
  readonly accountId: string
  /** Undefined until the first token of the account is used. */
  readonly user: UserRow | undefined
}

/**
 * A session that this node has ended, for example because the user signed out or set a new password, or because a code
 * or refresh token was used twice.
 */
export interface EndedSession {
  readonly sessionId: string
  /** Null when the user of the session cannot be found. */
  readonly userId: string | null
  /** Whether the account is signed in nowhere else. */
  readonly isLast: boolean
}

export interface EmbeddedSessionsOptions {
  readonly db: Database['db']
  readonly sealer: Sealer
  readonly issuer: string
  readonly now: () => number
}

/**
 * The sessions of the embedded provider. One session is one sign-in of a browser, for which the provider stores a
 * grant; session, sign-in and grant have the same id. The provider's own record `Session` is something else:
 * it belongs to the cookie of a browser, with which the next sign-in needs no password.
 *
 * When a session ends, its codes and refresh tokens are deleted, and its access tokens are refused on every node. The
 * listeners of `onEnd` on this node then end its event streams (`end-streams-on-sign-out.ts`) and, with the last session of
 * the account, close the user's idle connections to MCP servers (`server/app.ts`). Replies that are being written continue.
 */
export class EmbeddedSessions {
  readonly #options: EmbeddedSessionsOptions
  readonly #ending = new SingleFlight<void>()
  readonly #listeners: ((ended: EndedSession) => void)[] = []

  constructor(options: EmbeddedSessionsOptions) {
    this.#options = options
  }

  /** The id of the session that a verified token belongs to. Null when the token contains none. */
  idOf(token: string): string | null {
    const sessionId = decodeJwt(token)[grantClaim]
    return typeof sessionId === 'string' ? sessionId : null
  }

  /** Ids of the sessions that ended recently, on any node. */
  listEnded(): Promise<readonly string[]> {
    return listRevokedGrants(this.#options.db)
  }

  /** Calls the listener as soon as a session is ended on this node. */
  onEnd(listener: (ended: EndedSession) => void): void {
    this.#listeners.push(listener)
  }

  /**
   * Ends a session, but leaves the browser signed in at the provider, whose page for signing out needs that. The
   * provider calls this several times during one sign-out; simultaneous calls share one execution.
   */
  end(sessionId: string): Promise<void> {
    return this.#ending.run(sessionId, () => this.#end(sessionId))
  }

  /** Ends one session of an account, and signs its browser out at the provider. */
  async endSignIn(accountId: string, sessionId: string): Promise<void> {
    const { db, now } = this.#options
    await db.transaction().execute((trx) => endSignIn(trx, sessionId, now()))
    await this.notifyEnded(accountId, [sessionId])
  }

  /** Ends all sessions of an account, and signs its browsers out at the provider. */
  async endAll(accountId: string): Promise<void> {
    const { db, now } = this.#options
    const ended = await db.transaction().execute((trx) => endSignIns(trx, accountId, { now: now() }))
    await this.notifyEnded(accountId, ended)
  }

  /** Ends the sign-ins of an account that were used least recently, when it has too many. */
  async endExcessSignIns(accountId: string): Promise<void> {
    const signIns = await listSignIns(this.#options.db, accountId)
    for (const { grant_id } of signIns.slice(maxSignIns)) await this.endSignIn(accountId, grant_id)
  }

  /** Notifies the listeners of sessions that were ended in a transaction, which must be committed. */
  async notifyEnded(accountId: string, sessionIds: readonly string[]): Promise<void> {
    const { db, issuer } = this.#options
    const user = await findUserRow(db, issuer, accountId).catch(() => undefined)
    await this.#notify(sessionIds, { accountId, user })
  }

  /** Returns a session that has not ended, else undefined. */
  async find(sessionId: string): Promise<ActiveSession | undefined> {
    const { db, sealer, issuer } = this.#options
    const grant = await findActiveGrant(db, issuer, sessionId)
    if (grant === undefined) return undefined
    const accountId = readAccountId(sealer, grant.record)
    if (accountId === undefined) return undefined
    return { accountId, user: grant.user?.subject === accountId ? grant.user : undefined }
  }

  async #end(sessionId: string): Promise<void> {
    const { db, now } = this.#options
    // The session ends even when its user cannot be found.
    const session = await this.find(sessionId).catch(() => undefined)
    await revokeGrant(db, sessionId, now())
    await this.#notify([sessionId], session)
  }

  async #notify(sessionIds: readonly string[], session: ActiveSession | undefined): Promise<void> {
    const others =
      session === undefined ? [] : await listSignIns(this.#options.db, session.accountId).catch(() => [])
    const userId = session?.user?.id ?? null
    for (const sessionId of sessionIds)
      for (const listener of this.#listeners) listener({ sessionId, userId, isLast: others.length === 0 })
  }
}

/** The account of a grant. Undefined when the grant was not sealed by this installation. */
function readAccountId(sealer: Sealer, grant: ActiveGrant['record']): string | undefined {
  const payload = openJson(sealer, signInRecordContext(grant), grant.payload)
  return (payload as { accountId?: string } | undefined)?.accountId
}
