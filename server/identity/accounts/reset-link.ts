import { randomBytes } from 'node:crypto'
import type { Db } from '../../db/database.ts'
import { signInRecordContext } from '../../db/secrets/seal-contexts.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import {
  consumeRecord,
  deleteRecord,
  deleteRecordsOfModel,
  findRecord,
  hashRecordId,
  upsertRecord,
} from '../provider/oidc-store.ts'

const model = 'PasswordReset'

/** The path of the page below the issuer. */
export const resetPath = '/reset-password'

/** How long a reset link is valid. */
export const resetLinkHours = 24

/**
 * Stores a new reset link of an account and returns its token. Former links of the account are no longer valid, and the
 * password is not changed before the link is used (§15.33).
 */
export async function createResetToken(
  db: Db,
  sealer: Sealer,
  accountId: string,
  now: number,
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await deleteRecordsOfModel(db, model, accountId)
  const record = { model, id: hashRecordId(token), grant_id: null }
  await upsertRecord(db, {
    ...record,
    payload: sealer.seal(JSON.stringify({ accountId }), signInRecordContext(record)),
    uid: null,
    expires_at: now + resetLinkHours * 3_600_000,
    account_id: accountId,
  })
  return token
}

/** The account of a reset link. Undefined when the link was used, replaced or has expired. */
export async function findResetAccount(
  db: Db,
  sealer: Sealer,
  token: unknown,
  now: number,
): Promise<string | undefined> {
  if (typeof token !== 'string') return undefined
  const record = await findRecord(db, model, hashRecordId(token))
  if (record === undefined || record.consumed_at !== null || (record.expires_at ?? 0) <= now) return undefined
  return (
    JSON.parse(sealer.open(record.payload, signInRecordContext(record))) as { readonly accountId: string }
  ).accountId
}

/** Uses up a reset link. Returns false when another request has used it. */
export async function useResetToken(trx: Db, token: string, now: number): Promise<boolean> {
  const id = hashRecordId(token)
  const isFirst = await consumeRecord(trx, model, id, now)
  await deleteRecord(trx, model, id)
  return isFirst
}
