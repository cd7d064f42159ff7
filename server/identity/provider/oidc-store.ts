import { createHash } from 'node:crypto'
import type { ExpressionBuilder, Insertable, Selectable } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { OidcTable, Tables } from '../../db/tables/tables.ts'

/** The hash that is stored instead of a code, a token or a session id. */
export function hashRecordId(id: string): string {
  return createHash('sha256').update(id).digest('base64url')
}

/** A record of the provider, such as a refresh token. The id is a hash, and the payload is encrypted. */
export type OidcRecord = Selectable<OidcTable>
export type NewOidcRecord = Omit<Insertable<OidcTable>, 'consumed_at'>

/** The account and the sign-in of a record. */
export type RecordOwner = Pick<OidcRecord, 'account_id' | 'sign_in_id'>

export async function upsertRecord(db: Db, record: NewOidcRecord): Promise<void> {
  const { model: _model, id: _id, ...changes } = record
  await db
    .insertInto('oidc')
    .values({ ...record, consumed_at: null })
    .onConflict((conflict) => conflict.columns(['model', 'id']).doUpdateSet(changes))
    .execute()
}

export async function findRecord(db: Db, model: string, id: string): Promise<OidcRecord | undefined> {
  return selectRecords(db, model).where('id', '=', id).executeTakeFirst()
}

export async function findRecordByUid(db: Db, model: string, uid: string): Promise<OidcRecord | undefined> {
  return selectRecords(db, model).where('uid', '=', uid).executeTakeFirst()
}

function selectRecords(db: Db, model: string) {
  return db.selectFrom('oidc').selectAll().where('model', '=', model)
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

/** Deletes the records of a model, or those of a grant among them, that expire first: about `max` of them remain. */
export async function deleteOldestRecords(
  db: Db,
  { model, grant_id }: { readonly model: string; readonly grant_id?: string },
  max: number,
): Promise<void> {
  const isCounted = ({ and }: ExpressionBuilder<Tables, 'oidc'>) =>
    and(grant_id === undefined ? { model } : { model, grant_id })
  const oldestKept = db
    .selectFrom('oidc')
    .select('expires_at')
    .where(isCounted)
    .orderBy('expires_at', 'desc')
    .limit(1)
    .offset(max - 1)
  await db.deleteFrom('oidc').where(isCounted).where('expires_at', '<', oldestKept).execute()
}

export async function deleteExpiredRecords(db: Db, now: number): Promise<void> {
  await db.deleteFrom('oidc').where('expires_at', '<', now).execute()
}
