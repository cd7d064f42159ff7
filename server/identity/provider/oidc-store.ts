import { createHash } from 'node:crypto'
import type { Db } from '../../db/database.ts'

/** The hash that is stored instead of a code, a token or a session id. */
export function hashRecordId(id: string): string {
  return createHash('sha256').update(id).digest('base64url')
}

/** A record of the provider, such as a refresh token. The id is a hash, and the payload is encrypted. */
export interface OidcRecord {
  readonly model: string
  readonly id: string
  readonly payload: string
  readonly grant_id: string | null
  readonly uid: string | null
  readonly expires_at: number | null
  /**
   * The account of a grant, session, code or refresh token. For an interaction, the account that signed in with it. For
   * a link that the operator prints, its subject, which may be an e-mail. Null for other records.
   */
  readonly account_id?: string | null
  /** The id of the grant whose sign-in the record belongs to. */
  readonly sign_in_id?: string | null
}

/** The account and the sign-in of a record. */
export type RecordOwner = Required<Pick<OidcRecord, 'account_id' | 'sign_in_id'>>

export interface StoredRecord extends Pick<OidcRecord, 'model' | 'id' | 'grant_id'> {
  readonly payload: string
  readonly consumed_at: number | null
  readonly expires_at: number | null
}

export async function upsertRecord(db: Db, record: OidcRecord): Promise<void> {
  const { model: _model, id: _id, ...changes } = record
  await db
    .insertInto('oidc')
    .values({ ...record, consumed_at: null })
    .onConflict((conflict) => conflict.columns(['model', 'id']).doUpdateSet(changes))
    .execute()
}

export async function findRecord(db: Db, model: string, id: string): Promise<StoredRecord | undefined> {
  return db
    .selectFrom('oidc')
    .select(['model', 'id', 'grant_id', 'payload', 'consumed_at', 'expires_at'])
    .where('model', '=', model)
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function findRecordByUid(db: Db, model: string, uid: string): Promise<StoredRecord | undefined> {
  return db
    .selectFrom('oidc')
    .select(['model', 'id', 'grant_id', 'payload', 'consumed_at', 'expires_at'])
    .where('model', '=', model)
    .where('uid', '=', uid)
    .executeTakeFirst()
}

/** Marks a record as used. Returns true for the first caller only, on all nodes together. */
export async function consumeRecord(db: Db, model: string, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('oidc')
    .set({ consumed_at: now })
    .where('model', '=', model)
    .where('id', '=', id)
    .where('consumed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function deleteRecord(db: Db, model: string, id: string): Promise<void> {
  await db.deleteFrom('oidc').where('model', '=', model).where('id', '=', id).execute()
}

/** Deletes the records of one model that belong to an account, or to the subject of an operator's link. */
export async function deleteAccountRecordsOfModel(db: Db, model: string, accountId: string): Promise<void> {
  await db.deleteFrom('oidc').where('model', '=', model).where('account_id', '=', accountId).execute()
}

/**
 * Deletes the codes and refresh tokens of a grant. The session of the browser remains, because signing out at the
 * provider needs it after the tokens are revoked.
 */
export async function deleteRecordsOfGrant(db: Db, grantId: string): Promise<void> {
  await db.deleteFrom('oidc').where('grant_id', '=', grantId).execute()
}

/** Deletes every record of an account, with the sessions of its browsers. Those of the grant `keep` remain. */
export async function deleteRecordsOfAccount(db: Db, accountId: string, keep?: string): Promise<void> {
  const all = db.deleteFrom('oidc').where('account_id', '=', accountId)
  const deletion =
    keep === undefined
      ? all
      : all.where((where) => where.or([where('sign_in_id', 'is', null), where('sign_in_id', '!=', keep)]))
  await deletion.execute()
}

/** Deletes every record of a sign-in, with the session of its browser, so that the next one asks for the password. */
export async function deleteRecordsOfSignIn(db: Db, grantId: string): Promise<void> {
  await db.deleteFrom('oidc').where('sign_in_id', '=', grantId).execute()
}

/** Deletes the records of a model that expire first, so that about `max` of them remain. */
export async function deleteOldestRecords(db: Db, model: string, max: number): Promise<void> {
  const oldestKept = db
    .selectFrom('oidc')
    .select('expires_at')
    .where('model', '=', model)
    .orderBy('expires_at', 'desc')
    .limit(1)
    .offset(max - 1)
  await db.deleteFrom('oidc').where('model', '=', model).where('expires_at', '<', oldestKept).execute()
}

/** Deletes the records of a grant and model that expire first, so that about `max` of them remain. */
export async function deleteOldestOfGrant(
  db: Db,
  model: string,
  grantId: string,
  max: number,
): Promise<void> {
  const oldestKept = db
    .selectFrom('oidc')
    .select('expires_at')
    .where('grant_id', '=', grantId)
    .where('model', '=', model)
    .orderBy('expires_at', 'desc')
    .limit(1)
    .offset(max - 1)
  await db
    .deleteFrom('oidc')
    .where('grant_id', '=', grantId)
    .where('model', '=', model)
    .where('expires_at', '<', oldestKept)
    .execute()
}

export async function deleteExpiredRecords(db: Db, now: number): Promise<void> {
  await db.deleteFrom('oidc').where('expires_at', '<', now).execute()
}
