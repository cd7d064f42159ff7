import type { Db } from '../../db/database.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import { hashRecordId } from '../provider/hash-record-id.ts'
import { consumeRecord, deleteRecord, findRecord, upsertRecord } from '../provider/oidc-store.ts'
import { interactionLife } from '../provider/token-lifetimes.ts'

/** What an answer of another provider is checked against. */
export interface PendingFederation {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

const model = 'Federation'

/** Keeps it for as long as the sign-in that it belongs to, for whichever node the answer reaches. */
export async function keepPendingFederation(
  db: Db,
  sealer: Sealer,
  pending: PendingFederation,
  now: number,
): Promise<void> {
  await upsertRecord(db, {
    model,
    id: hashRecordId(pending.state),
    payload: sealer.seal(JSON.stringify(pending)),
    grant_id: null,
    uid: null,
    expires_at: now + interactionLife * 1000,
  })
}

/** Takes it away, so that an answer is used once. Throws when nobody waits for this one. */
export async function takePendingFederation(
  db: Db,
  sealer: Sealer,
  state: string,
  now: number,
): Promise<PendingFederation> {
  const id = hashRecordId(state)
  const record = await findRecord(db, model, id)
  const isFirst = await consumeRecord(db, model, id, now)
  await deleteRecord(db, model, id)
  if (record === undefined || !isFirst) throw new Error('Nobody here waits for this answer.')
  return JSON.parse(sealer.open(record.payload)) as PendingFederation
}
