import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { Db } from '../../db/database.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import {
  hashRecordId,
  consumeRecord,
  deleteRecord,
  findRecord,
  findRecordByUid,
  upsertRecord,
} from './oidc-store.ts'
import type { StoredRecord } from './oidc-store.ts'
import { refreshOverlap } from './token-lifetimes.ts'

export interface OidcAdapterOptions {
  readonly db: Db
  readonly sealer: Sealer
  readonly now: () => number
  readonly revokeGrant: (grantId: string) => Promise<void>
  /** Creates the error for a code that is redeemed twice. */
  readonly alreadyUsed: () => Error
}

/** Stores the provider's records with hashed ids and sealed payloads, so that a stolen database allows no sign-in. */
export function createOidcAdapter({ db, sealer, now, revokeGrant, alreadyUsed }: OidcAdapterOptions) {
  return (model: string): Adapter => {
    const read = (record: StoredRecord | undefined): AdapterPayload | undefined => {
      if (record === undefined) return undefined
      const payload = JSON.parse(sealer.open(record.payload)) as AdapterPayload
      const { consumed_at: consumedAt } = record
      const inOverlap =
        model === 'RefreshToken' && consumedAt !== null && now() - consumedAt < refreshOverlap * 1000
      return consumedAt === null || inOverlap
        ? payload
        : { ...payload, consumed: Math.floor(consumedAt / 1000) }
    }
    return {
      async upsert(id, payload, expiresIn) {
        await upsertRecord(db, {
          model,
          id: hashRecordId(id),
          payload: sealer.seal(JSON.stringify(payload)),
          grant_id: payload.grantId ?? null,
          uid: payload.uid ?? null,
          expires_at: expiresIn === undefined ? null : now() + expiresIn * 1000,
        })
      },
      find: async (id) => read(await findRecord(db, model, hashRecordId(id))),
      findByUid: async (uid) => read(await findRecordByUid(db, model, uid)),
      // Only the device flow, which is off, has user codes.
      findByUserCode: () => Promise.resolve(undefined),
      async consume(id) {
        const first = await consumeRecord(db, model, hashRecordId(id), now())
        // A refresh token is looked at before: past the overlap its reuse ends the sign-in.
        if (!first && model !== 'RefreshToken') throw alreadyUsed()
      },
      async destroy(id) {
        if (model === 'Grant') await revokeGrant(id)
        else await deleteRecord(db, model, hashRecordId(id))
      },
      revokeByGrantId: revokeGrant,
    }
  }
}
