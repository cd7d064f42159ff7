import type { Db } from '../../db/database.ts'
import { prepareQuery } from '../../db/dialects/prepare-query.ts'
import type { SignInRow, UserRow } from '../../db/tables/tables.ts'
import { hashRecordId, type OidcRecord } from '../provider/oidc-store.ts'

export async function insertRevokedGrant(db: Db, grantId: string, expiresAt: number): Promise<void> {
  await db
    .insertInto('ended_grants')
    .values({ grant_id: grantId, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('grant_id').doUpdateSet({ expires_at: expiresAt }))
    .execute()
}

/** The stored record of a grant that was not revoked, and the user of its account. */
export interface ActiveGrant {
  readonly record: Pick<OidcRecord, 'model' | 'id' | 'grant_id' | 'payload'>
  /** Undefined before the first token is used. */
  readonly user: UserRow | undefined
}

// Every request with an access token reads this, so it is one query.
const activeGrantQuery = prepareQuery(
  (db, grant: { readonly id: string; readonly grantId: string; readonly issuer: string }) =>
    db
      .selectFrom('oidc as g')
      .leftJoin('users as u', (join) =>
        join.onRef('u.subject', '=', 'g.account_id').on('u.issuer', '=', grant.issuer),
      )
      .select(['g.model', 'g.id', 'g.grant_id', 'g.payload'])
      .select(['u.id as user_id', 'u.issuer', 'u.subject', 'u.name', 'u.email', 'u.picture'])
      .select(['u.created_at', 'u.disabled_at', 'u.pending', 'u.used_at'])
      .where('g.model', '=', 'Grant')
      .where('g.id', '=', grant.id)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('ended_grants').select('grant_id').where('grant_id', '=', grant.grantId))),
      )
      .compile(),
)

export async function findActiveGrant(
  db: Db,
  issuer: string,
  grantId: string,
): Promise<ActiveGrant | undefined> {
  const { rows } = await activeGrantQuery(db, { id: hashRecordId(grantId), grantId, issuer })
  const [row] = rows
  if (row === undefined) return undefined
  const { model, id, grant_id, payload, user_id, subject, created_at, ...user } = row
  const record = { model, id, grant_id, payload }
  if (user_id === null || subject === null || created_at === null) return { record, user: undefined }
  return { record, user: { ...user, id: user_id, issuer, subject, created_at } }
}

/** The grants that were revoked recently: at least all with access tokens that have not expired. */
export async function listRevokedGrants(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('ended_grants').select('grant_id').execute()
  return rows.map(({ grant_id }) => grant_id)
}

export async function deleteExpiredRevokedGrants(db: Db, now: number): Promise<void> {
  await db.deleteFrom('ended_grants').where('expires_at', '<', now).execute()
}

export async function insertSignIn(db: Db, signIn: SignInRow): Promise<void> {
  await db.insertInto('sign_ins').values(signIn).execute()
}

/** Stores when the tokens of a sign-in were last issued. */
export async function touchSignIn(db: Db, grantId: string, now: number): Promise<void> {
  await db.updateTable('sign_ins').set({ used_at: now }).where('grant_id', '=', grantId).execute()
}

/** The sign-ins of an account that began after `since`, the most recently used one first. */
export function listSignIns(db: Db, accountId: string, since = 0): Promise<SignInRow[]> {
  return db
    .selectFrom('sign_ins')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('created_at', '>', since)
    .orderBy('used_at', 'desc')
    .orderBy('grant_id')
    .execute()
}

export async function deleteSignIn(db: Db, grantId: string): Promise<void> {
  await db.deleteFrom('sign_ins').where('grant_id', '=', grantId).execute()
}

/** Deletes the sign-ins that began before `before`. Their grants have expired. */
export async function deleteOldSignIns(db: Db, before: number): Promise<void> {
  await db.deleteFrom('sign_ins').where('created_at', '<', before).execute()
}
