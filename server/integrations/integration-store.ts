import { sql, type SqlBool } from 'kysely'
import { type Actor, ofUser, readable } from '../access/access.ts'
import type { Database, Db } from '../db/database.ts'
import { prepareQuery } from '../db/dialects/prepare-query.ts'
import { refreshLease } from '../db/refresh-lease-store.ts'
import type { IntegrationConsentRow, IntegrationRow } from '../db/tables/integration-tables.ts'
import { AppError } from '../lib/app-error.ts'

/** The fields that connecting and disconnecting change. `updateIntegration` increments the version itself. */
export type IntegrationChange = Pick<IntegrationRow, 'api_key' | 'tokens' | 'scopes' | 'ended'>

/** The values of an integration without a key or an account. */
export const disconnected: IntegrationChange = { api_key: null, tokens: null, scopes: null, ended: 0 }

/** Identifies an integration of a user. */
type Key = Pick<IntegrationRow, 'user_id' | 'name'>

const listQuery = prepareQuery((db, owner: { readonly actor: Actor }) =>
  db
    .selectFrom('integrations')
    .selectAll()
    .where(readable(owner.actor, 'integrations'))
    .orderBy('created_at')
    .orderBy('name')
    .compile(),
)

/** Returns a user's integrations in the order in which they were added. */
export async function listIntegrations(db: Db, actor: Actor): Promise<IntegrationRow[]> {
  return (await listQuery(db, { actor })).rows
}

export function findIntegration(db: Db, actor: Actor, name: string): Promise<IntegrationRow | undefined> {
  return db
    .selectFrom('integrations')
    .selectAll()
    .where(readable(actor, 'integrations'))
    .where('name', '=', name)
    .executeTakeFirst()
}

/** @throws AppError `not_found` */
export async function requireIntegration(db: Db, actor: Actor, name: string): Promise<IntegrationRow> {
  const integration = await findIntegration(db, actor, name)
  if (integration === undefined) {
    throw new AppError('not_found', `You have no integration named "${name}".`)
  }
  return integration
}

/** Rejects with a unique violation when the user already has an integration of this name. */
export async function insertIntegration(db: Db, integration: IntegrationRow): Promise<void> {
  await db.insertInto('integrations').values(integration).execute()
}

/**
 * Connects or disconnects an integration, or changes its key. Clears the error of its calls and the refresh lease, so
 * that the new tokens can be refreshed at once. A running refresh of the former tokens then stores nothing, because
 * `storeRefreshResult` finds other tokens. Returns false when the integration does not exist, or has another version
 * than a given `version`.
 */
export async function updateIntegration(
  db: Db,
  { user_id, name }: Key,
  change: Partial<IntegrationChange>,
  version?: number,
): Promise<boolean> {
  const update = db
    .updateTable('integrations')
    .set(({ eb }) => ({
      ...change,
      version: eb('version', '+', 1),
      refreshing_until: null,
      call_error: null,
    }))
    .where(ofUser(user_id, 'integrations'))
    .where('name', '=', name)
  const unchanged = version === undefined ? update : update.where('version', '=', version)
  const { numUpdatedRows } = await unchanged.executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/**
 * Stores why the connector of an integration fails, or null when it works. Returns false when this is stored already,
 * or when the integration has another version now, because a call with its former account says nothing about the new
 * one.
 */
export async function storeCallError(
  db: Db,
  { user_id, name, version }: Key & Pick<IntegrationRow, 'version'>,
  callError: string | null,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('integrations')
    .set({ call_error: callError })
    .where(ofUser(user_id, 'integrations'))
    .where('name', '=', name)
    .where('version', '=', version)
    .where('call_error', 'is distinct from', callError)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** The lease to refresh the tokens of an integration. */
export function integrationLease(
  database: Pick<Database, 'db' | 'dialect'>,
  { user_id, name, tokens }: Key & Pick<IntegrationRow, 'tokens'>,
) {
  const condition = sql<SqlBool>`name = ${name} and ${ofUser(user_id, 'integrations')}`
  return refreshLease(database, { table: 'integrations', condition, tokens })
}

/**
 * Stores the result of a refresh and releases the lease. Returns false when the tokens were replaced in the meantime.
 */
export async function storeRefreshResult(
  db: Db,
  { user_id, name, tokens }: Key & Pick<IntegrationRow, 'tokens'>,
  result: Partial<Pick<IntegrationRow, 'tokens' | 'scopes' | 'ended'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('integrations')
    .set({ ...result, refreshing_until: null })
    .where(ofUser(user_id, 'integrations'))
    .where('name', '=', name)
    .where('tokens', '=', tokens)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Stores a started consent, and deletes those that have expired at `now` (milliseconds since 1970). */
export async function insertIntegrationConsent(
  db: Db,
  consent: IntegrationConsentRow,
  now: number,
): Promise<void> {
  await db.deleteFrom('integration_consents').where('expires_at', '<', now).execute()
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
