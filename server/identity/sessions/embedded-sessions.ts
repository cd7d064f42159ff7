import { decodeJwt } from 'jose'
import type { Db } from '../../db/database.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import { hashRecordId, findRecord, deleteRecord, deleteRecordsOfGrant } from '../provider/oidc-store.ts'
import { accessTokenLife } from '../provider/token-lifetimes.ts'
import { findUser } from '../users/user-store.ts'
import { clockLeeway } from './token-verifier.ts'
import { listRevokedGrants, insertRevokedGrant } from './revoked-grant-store.ts'
import type { EndedSession, Sessions } from '../identity.ts'

/** The claim of an access token that carries its session's id, so that the API can refuse an ended session. */
export const grantClaim = 'grant_id'

export interface EmbeddedSessionsOptions {
  readonly db: Db
  readonly sealer: Sealer
  readonly issuer: string
  readonly now: () => number
}

/** The sessions of the embedded provider. A session's id is the id of the provider's grant (§15.16). */
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

  /** Ends a session. The provider may call this several times for one sign-out; the work is done once. */
  end(sessionId: string): Promise<void> {
    const work =
      this.#ending.get(sessionId) ?? this.#end(sessionId).finally(() => this.#ending.delete(sessionId))
    this.#ending.set(sessionId, work)
    return work
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
    const grant = await findRecord(db, 'Grant', hashRecordId(sessionId))
    if (grant === undefined) return null
    const { accountId = '' } = JSON.parse(sealer.open(grant.payload)) as { accountId?: string }
    return (await findUser(db, issuer, accountId))?.id ?? null
  }
}

/**
 * Deletes the codes and refresh tokens of a grant and records it as revoked, so that every node refuses its access
 * tokens from the next request on (§15.10, §15.14).
 */
async function revokeGrant(db: Db, grantId: string, now: number): Promise<void> {
  await insertRevokedGrant(db, grantId, now + (accessTokenLife + 2 * clockLeeway) * 1000)
  await deleteRecordsOfGrant(db, grantId)
  await deleteRecord(db, 'Grant', hashRecordId(grantId))
}
