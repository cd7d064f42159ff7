import { ofUser } from '../../access/access.ts'
import type { Db } from '../../db/database.ts'
import type { IntegrationConsentRow } from '../../db/tables/integration-tables.ts'

export async function insertIntegrationConsent(db: Db, consent: IntegrationConsentRow): Promise<void> {
  await db.insertInto('integration_consents').values(consent).execute()
}

/**
 * Deletes and returns a started consent, so that it can be finished only once. Returns undefined when it has expired at
 * `now` (milliseconds since 1970), was already finished, or belongs to another user or integration.
 */
export function takeIntegrationConsent(
  db: Db,
  { state_hash, user_id, name }: Pick<IntegrationConsentRow, 'state_hash' | 'user_id' | 'name'>,
  now: number,
): Promise<IntegrationConsentRow | undefined> {
  return db
    .deleteFrom('integration_consents')
    .where('state_hash', '=', state_hash)
    .where(ofUser(user_id, 'integration_consents'))
    .where('name', '=', name)
    .where('expires_at', '>=', now)
    .returningAll()
    .executeTakeFirst()
}

export async function deleteExpiredIntegrationConsents(db: Db, now: number): Promise<void> {
  await db.deleteFrom('integration_consents').where('expires_at', '<', now).execute()
}
