import { ofUser } from '../../access/access.ts'
import type { Db } from '../../db/database.ts'
import type { ConnectorConsentRow } from '../../db/tables/connector-tables.ts'

/** Pending consents of a user; older ones are deleted. Each contains the metadata of its server. */
const maxPendingConsents = 20

/** Stores a pending consent until the user returns from the authorization server. */
export async function insertConsent(db: Db, consent: ConnectorConsentRow): Promise<void> {
  await db.insertInto('connector_consents').values(consent).execute()
  const newest = db
    .selectFrom('connector_consents')
    .select('state_hash')
    .where(ofUser(consent.user_id, 'connector_consents'))
    .orderBy('expires_at', 'desc')
    .orderBy('state_hash')
    .limit(maxPendingConsents)
  await db
    .deleteFrom('connector_consents')
    .where(ofUser(consent.user_id, 'connector_consents'))
    .where('state_hash', 'not in', newest)
    .execute()
}

/** Deletes and returns the pending consent with this `state`, so that only one caller gets it. */
export function takeConsent(db: Db, stateHash: string): Promise<ConnectorConsentRow | undefined> {
  return db
    .deleteFrom('connector_consents')
    .where('state_hash', '=', stateHash)
    .returningAll()
    .executeTakeFirst()
}

export async function deleteExpiredConsents(db: Db, now: number): Promise<void> {
  await db.deleteFrom('connector_consents').where('expires_at', '<', now).execute()
}
