import type { Db } from '../db/database.ts'
import { prepareQuery } from '../db/dialects/prepare-query.ts'
import type { IntegrationRow } from '../db/tables/integration-tables.ts'
import { AppError } from '../lib/app-error.ts'
import type { User } from '../identity/user.ts'

export type Owner = Pick<User, 'id'>

/** What connecting and disconnecting write; the version grows by itself. */
export type IntegrationChange = Pick<IntegrationRow, 'api_key' | 'tokens' | 'scopes' | 'ended'>

export const unconnected: IntegrationChange = { api_key: null, tokens: null, scopes: null, ended: 0 }

type Key = Pick<IntegrationRow, 'user_id' | 'name'>

const integrationQuery = prepareQuery((db, owner: { readonly userId: string }) =>
  db
    .selectFrom('integrations')
    .selectAll()
    .where('user_id', '=', owner.userId)
    .orderBy('created_at')
    .orderBy('name')
    .compile(),
)

/** A person's integrations, the oldest first. */
export async function listIntegrations(db: Db, user: Owner): Promise<IntegrationRow[]> {
  return (await integrationQuery(db, { userId: user.id })).rows
}

export function findIntegration(db: Db, user: Owner, name: string): Promise<IntegrationRow | undefined> {
  return db
    .selectFrom('integrations')
    .selectAll()
    .where('user_id', '=', user.id)
    .where('name', '=', name)
    .executeTakeFirst()
}

/**
 * A person's integration by its name.
 * @throws AppError `not_found`
 */
export async function requireIntegration(db: Db, user: Owner, name: string): Promise<IntegrationRow> {
  const integration = await findIntegration(db, user, name)
  if (integration === undefined) {
    throw new AppError('not_found', `You have no integration named "${name}".`)
  }
  return integration
}

/** Fails on a name that this person's integrations have already. */
export async function insertIntegration(db: Db, integration: IntegrationRow): Promise<void> {
  await db.insertInto('integrations').values(integration).execute()
}

/**
 * Connects or disconnects; a renewal of its tokens that is under way writes nothing any more. With a version nothing is
 * written when the integration was connected or disconnected since: false then.
 */
export async function updateIntegration(
  db: Db,
  { user_id, name }: Key,
  change: Partial<IntegrationChange>,
  version?: number,
): Promise<boolean> {
  const update = db
    .updateTable('integrations')
    .set(({ eb }) => ({ ...change, version: eb('version', '+', 1), refreshing_until: null }))
    .where('user_id', '=', user_id)
    .where('name', '=', name)
  const asItWas = version === undefined ? update : update.where('version', '=', version)
  const { numUpdatedRows } = await asItWas.executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Reserves the renewal of these tokens for this process until `until`; false when another does it, or has done it. */
export async function reserveRenewal(
  db: Db,
  { user_id, name, tokens }: Key & Pick<IntegrationRow, 'tokens'>,
  now: number,
  until: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('integrations')
    .set({ refreshing_until: until })
    .where('user_id', '=', user_id)
    .where('name', '=', name)
    .where('tokens', '=', tokens)
    .where((where) => where.or([where('refreshing_until', 'is', null), where('refreshing_until', '<', now)]))
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Ends a renewal with what came of it, unless the integration is another one meanwhile: false then. */
export async function endRenewal(
  db: Db,
  { user_id, name, tokens }: Key & Pick<IntegrationRow, 'tokens'>,
  outcome: Partial<Pick<IntegrationRow, 'tokens' | 'scopes' | 'ended'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('integrations')
    .set({ ...outcome, refreshing_until: null })
    .where('user_id', '=', user_id)
    .where('name', '=', name)
    .where('tokens', '=', tokens)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
