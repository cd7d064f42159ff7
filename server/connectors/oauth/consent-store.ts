import type { ConnectorConsentRow } from '../../db/tables/connector-tables.ts'
import type { Db } from '../../db/database.ts'

/** Stores a pending consent until the user returns from the authorization server. */
export async function insertConsent(db: Db, consent: ConnectorConsentRow): Promise<void> {
  await db.insertInto('connector_consents').values(consent).execute()
}

/** Deletes and returns the pending consent with this `state`, so that only one caller gets it. */
export function takeConsent(db: Db, stateHash: string): Promise<ConnectorConsentRow | undefined> {
  return db
    .deleteFrom('connector_consents')
    .where('state_hash', '=', stateHash)
    .returningAll()
    .executeTakeFirst()
}

export async function deleteOldConsents(db: Db, now: number): Promise<void> {
  await db.deleteFrom('connector_consents').where('expires_at', '<', now).execute()
}
