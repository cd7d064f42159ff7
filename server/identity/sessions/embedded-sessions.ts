import { decodeJwt } from 'jose'
import type { Database } from '../../db/database.ts'
import { signInRecordContext } from '../../db/secrets/seal-contexts.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import type { EndedSession, Sessions } from '../identity.ts'
import { findUser } from '../users/user-store.ts'
import { endSignIn, endSignIns, revokeGrant } from './end-sign-ins.ts'
import { findActiveGrant, listRevokedGrants } from './revoked-grant-store.ts'

/** The claim of an access token with the id of its session, which lets the API refuse tokens of ended sessions. */
export const grantClaim = 'grant_id'

export interface EmbeddedSessionsOptions {
  readonly db: Database['db']
  readonly sealer: Sealer
  readonly issuer: string
  readonly now: () => number
}

/**
 * The sessions of the embedded provider. The id of a session is the id of its grant at the provider (§15.16).
 *
 * When a session ends, its codes and refresh tokens are deleted, and its access tokens are refused on every node. The
 * listeners of `onEnd` then end its event streams (`end-streams-on-sign-out.ts`) and close the user's idle connections to
 * MCP servers (`server/app.ts`). Replies that are being written continue.
 */
export class EmbeddedSessions implements Sessions {
  readonly #options: EmbeddedSessionsOptions
  readonly #ending = new Map<string, Promise<void>>()
  readonly #listeners: ((ended: EndedSession) => void)[] = []

  constructor(options: EmbeddedSessionsOptions) {
    this.#options = options
  }

  idOf(token: string): string | null {
    const sessionId = decodeJwt(token)[grantClaim]
    return typeof sessionId === 'string' ? sessionId : null
  }

  listEnded(): Promise<readonly string[]> {
    return listRevokedGrants(this.#options.db)
  }

  onEnd(listener: (ended: EndedSession) => void): void {
    this.#listeners.push(listener)
  }

  /** Ends a session. The provider calls this several times during one sign-out; the calls share one execution. */
  end(sessionId: string): Promise<void> {
    const work =
      this.#ending.get(sessionId) ?? this.#end(sessionId).finally(() => this.#ending.delete(sessionId))
    this.#ending.set(sessionId, work)
    return work
  }

  /** Ends one sign-in of an account, with the session of its browser (§15.31). */
  async endSignIn(accountId: string, sessionId: string): Promise<void> {
    const { db, now } = this.#options
    await db.transaction().execute((trx) => endSignIn(trx, sessionId, now()))
    await this.notifyEnded(accountId, [sessionId])
  }

  /** Ends all sign-ins of an account (§15.31). */
  async endAll(accountId: string): Promise<void> {
    const { db, now } = this.#options
    const ended = await db.transaction().execute((trx) => endSignIns(trx, accountId, { now: now() }))
    await this.notifyEnded(accountId, ended)
  }

  /** Notifies the listeners of sign-ins that were ended in a transaction. */
  async notifyEnded(accountId: string, sessionIds: readonly string[]): Promise<void> {
    const { db, issuer } = this.#options
    const userId = await findUser(db, issuer, accountId).then(
      (user) => user?.id ?? null,
      () => null,
    )
    for (const sessionId of sessionIds)
      for (const listener of this.#listeners) listener({ sessionId, userId })
  }

  async #end(sessionId: string): Promise<void> {
    const { db, now } = this.#options
    // The session ends even when its user cannot be found.
    const userId = await this.#findUserId(sessionId).catch(() => null)
    await revokeGrant(db, sessionId, now())
    for (const listener of this.#listeners) listener({ sessionId, userId })
  }

  async #findUserId(sessionId: string): Promise<string | null> {
    const { db, sealer, issuer } = this.#options
    const accountId = await findAccountOfGrant({ db, sealer }, sessionId)
    return accountId === null ? null : ((await findUser(db, issuer, accountId))?.id ?? null)
  }
}

/**
 * Returns the account of a grant that is stored and was sealed by this installation, else null. A token that names no
 * such grant was not issued by a sign-in here, even if its signature is valid (§15.26).
 */
export async function findAccountOfGrant(
  { db, sealer }: Pick<EmbeddedSessionsOptions, 'db' | 'sealer'>,
  grantId: string,
): Promise<string | null> {
  const grant = await findActiveGrant(db, grantId)
  if (grant === undefined) return null
  try {
    const { accountId } = JSON.parse(sealer.open(grant.payload, signInRecordContext(grant))) as {
      accountId?: string
    }
    return accountId ?? null
  } catch {
    return null
  }
}
