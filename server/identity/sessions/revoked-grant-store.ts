import type { Db } from '../../db/database.ts'
import { hashRecordId } from '../provider/oidc-store.ts'
import type { StoredRecord } from '../provider/oidc-store.ts'

export async function insertRevokedGrant(db: Db, grantId: string, expiresAt: number): Promise<void> {
  await db
    .insertInto('ended_grants')
    .values({ grant_id: grantId, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('grant_id').doUpdateSet({ expires_at: expiresAt }))
    .execute()
}

/** The stored record of a grant that was not revoked. */
export function findActiveGrant(db: Db, grantId: string): Promise<StoredRecord | undefined> {
  return db
    .selectFrom('oidc')
    .select(['model', 'id', 'grant_id', 'payload', 'consumed_at', 'expires_at'])
    .where('model', '=', 'Grant')
    .where('id', '=', hashRecordId(grantId))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('ended_grants').select('grant_id').where('grant_id', '=', grantId))),
    )
    .executeTakeFirst()
}

/** The revoked grants with access tokens that have not expired. */
export async function listRevokedGrants(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('ended_grants').select('grant_id').execute()
  return rows.map(({ grant_id }) => grant_id)
}

export async function deleteExpiredRevokedGrants(db: Db, now: number): Promise<void> {
  await db.deleteFrom('ended_grants').where('expires_at', '<', now).execute()
}
