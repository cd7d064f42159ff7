import type { Adapter, AdapterPayload, errors } from 'oidc-provider'
import type { Db } from '../../db/database.ts'
import { signInRecordContext } from '../../db/secrets/seal-contexts.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import { anonymousSessionModel, type LimitRecords } from './limit-records.ts'
import {
  hashRecordId,
  consumeRecord,
  deleteRecord,
  findRecord,
  findRecordByUid,
  upsertRecord,
  type OidcRecord,
  type RecordOwner,
} from './oidc-store.ts'
import { refreshOverlapSeconds } from './token-lifetimes.ts'

export interface OidcAdapterOptions {
  readonly db: Db
  readonly sealer: Sealer
  readonly now: () => number
  /** Ends the session of a grant and deletes its codes and tokens. */
  readonly revokeGrant: (grantId: string) => Promise<void>
  readonly limitRecords: LimitRecords
}

/** The models of records that have the account in their payload. A session has one once its user has signed in. */
const modelsOfAccounts = new Set(['Grant', 'Session', 'AuthorizationCode', 'RefreshToken'])

/** The account and the sign-in of a record. A session has the grant of its only client, our app. */
export function readOwner(
  model: string,
  { jti, grantId, accountId, authorizations = {}, result }: AdapterPayload,
): RecordOwner {
  // An interaction belongs to the account that signed in with it, although the browser has not followed the redirect
  // yet. So it ends with the other sign-ins of the account.
  if (model === 'Interaction')
    return {
      account_id: result?.login?.accountId ?? null,
      sign_in_id: null,
    }
  if (!modelsOfAccounts.has(model)) return { account_id: null, sign_in_id: null }
  const [authorization] = Object.values(authorizations)
  const ownGrant = model === 'Grant' ? jti : grantId
  return { account_id: accountId ?? null, sign_in_id: ownGrant ?? authorization?.grantId ?? null }
}

/**
 * Stores the records of the provider with hashed ids and encrypted payloads, so that a stolen database does not contain
 * usable tokens.
 */
export function createOidcAdapter(options: OidcAdapterOptions, { InvalidGrant }: typeof errors) {
  const { db, sealer, now, revokeGrant, limitRecords } = options
  return (model: string): Adapter => {
    const find = async (id: string) =>
      (await findRecord(db, model, id)) ??
      (model === 'Session' ? await findRecord(db, anonymousSessionModel, id) : undefined)
    const read = (record: OidcRecord | undefined): AdapterPayload | undefined => {
      if (record === undefined) return undefined
      const payload = JSON.parse(sealer.open(record.payload, signInRecordContext(record))) as AdapterPayload
      const { consumed_at: consumedAt } = record
      const isInOverlap =
        model === 'RefreshToken' && consumedAt !== null && now() - consumedAt < refreshOverlapSeconds * 1000
      return consumedAt === null || isInOverlap
        ? payload
        : { ...payload, consumed: Math.floor(consumedAt / 1000) }
    }
    return {
      async upsert(id, payload, expiresIn) {
        const isAnonymous = model === 'Session' && payload.accountId === undefined
        const storedModel = isAnonymous ? anonymousSessionModel : model
        const record = { model: storedModel, id: hashRecordId(id), grant_id: payload.grantId ?? null }
        await upsertRecord(db, {
          ...record,
          payload: sealer.seal(JSON.stringify(payload), signInRecordContext(record)),
          ...readOwner(model, payload),
          uid: payload.uid ?? null,
          expires_at: expiresIn === undefined ? null : now() + expiresIn * 1000,
        })
        await limitRecords(record)
      },
      find: async (id) => read(await find(hashRecordId(id))),
      findByUid: async (uid) => read(await findRecordByUid(db, model, uid)),
      // Only the device flow has user codes, and it is disabled.
      findByUserCode: () => Promise.resolve(undefined),
      async consume(id) {
        const isFirst = await consumeRecord(db, model, hashRecordId(id), now())
        // The library checks refresh tokens before it calls this, and revokes the grant of one that is reused.
        if (!isFirst && model !== 'RefreshToken') throw new InvalidGrant('authorization code already used')
      },
      async destroy(id) {
        if (model === 'Grant') await revokeGrant(id)
        else await deleteRecord(db, model, hashRecordId(id))
        if (model === 'Session') await deleteRecord(db, anonymousSessionModel, hashRecordId(id))
      },
      revokeByGrantId: revokeGrant,
    }
  }
}
