import { decodeJwt } from 'jose'
import type { Db } from '../../db/database.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import { endGrant } from './revoke-grant.ts'
import { listGrantEnds } from './revoked-grant-store.ts'
import { hashRecordId } from '../provider/hash-record-id.ts'
import { findRecord } from '../provider/oidc-store.ts'
import type { EndedSignIn, SignIns } from './sessions.ts'
import { findUser } from '../users/user-store.ts'

/** The claim of an access token that names its sign-in, so that the API can refuse an ended one. */
export const grantClaim = 'grant_id'

export interface EmbeddedSignInsOptions {
  readonly db: Db
  readonly sealer: Sealer
  readonly issuer: string
  readonly now: () => number
}

/** The sign-ins of the provider in this process. */
export class EmbeddedSignIns implements SignIns {
  readonly #options: EmbeddedSignInsOptions
  readonly #ending = new Map<string, Promise<void>>()
  readonly #listeners: ((ended: EndedSignIn) => void)[] = []

  constructor(options: EmbeddedSignInsOptions) {
    this.#options = options
  }

  nameOf(token: string): string | null {
    const name = decodeJwt(token)[grantClaim]
    return typeof name === 'string' ? name : null
  }

  listEnded(): Promise<readonly string[]> {
    return listGrantEnds(this.#options.db)
  }

  onEnd(listener: (ended: EndedSignIn) => void): void {
    this.#listeners.push(listener)
  }

  /** Ends one at its person's wish, or because its tokens are in the wrong hands; once, in however many parts it is asked for. */
  end(signIn: string): Promise<void> {
    const work = this.#ending.get(signIn) ?? this.#end(signIn).finally(() => this.#ending.delete(signIn))
    this.#ending.set(signIn, work)
    return work
  }

  async #end(signIn: string): Promise<void> {
    const { db, now } = this.#options
    // Whoever cannot be found any more is signed out all the same.
    const userId = await this.#findUserId(signIn).catch(() => null)
    await endGrant(db, signIn, now())
    for (const listener of this.#listeners) listener({ signIn, userId })
  }

  async #findUserId(signIn: string): Promise<string | null> {
    const { db, sealer, issuer } = this.#options
    const grant = await findRecord(db, 'Grant', hashRecordId(signIn))
    if (grant === undefined) return null
    const { accountId = '' } = JSON.parse(sealer.open(grant.payload)) as { accountId?: string }
    return (await findUser(db, issuer, accountId))?.id ?? null
  }
}
