import { type Actor, changeable, ofUser, readable } from '../access/access.ts'
import type { Db } from '../db/database.ts'
import { prepareQuery } from '../db/dialects/prepare-query.ts'
import type { ConnectorRow } from '../db/tables/connector-tables.ts'
import { AppError } from '../lib/app-error.ts'

/** The columns that a user's change can affect, directly or as a consequence. */
export type ConnectorChange = Omit<ConnectorRow, 'id' | 'user_id' | 'is_default' | 'slug' | 'created_at'>

/** A new connector before any input: without a list of allowed tools, so no tool needs approval. */
export const emptyConnector: ConnectorChange = {
  name: '',
  url: '',
  token: null,
  client_id: null,
  client_secret: null,
  headers: null,
  asks: 0,
  credential_version: 0,
  status: 'disconnected',
  error_message: null,
  call_error: null,
  notice: null,
  tools_expire_at: null,
  tools_read_at: 0,
  era: null,
  time_limit: null,
  pictures: 1,
}

const connectorQuery = prepareQuery((db, owner: { readonly actor: Actor }) =>
  db
    .selectFrom('connectors')
    .selectAll()
    .where(readable(owner.actor, 'connectors'))
    .orderBy('is_default', 'desc')
    .orderBy('created_at')
    .orderBy('id')
    .compile(),
)

/** Returns the user's connectors: default ones first, then by age, the oldest first. */
export async function listConnectors(db: Db, actor: Actor): Promise<ConnectorRow[]> {
  return (await connectorQuery(db, { actor })).rows
}

export function findConnector(db: Db, actor: Actor, name: string): Promise<ConnectorRow | undefined> {
  return selectReadable(db, actor).where('name', '=', name).executeTakeFirst()
}

/**
 * Finds the user's connector of this name.
 * @throws AppError `not_found`
 */
export async function requireConnector(db: Db, actor: Actor, name: string): Promise<ConnectorRow> {
  const connector = await findConnector(db, actor, name)
  if (connector === undefined) throw new AppError('not_found', `You have no connector named "${name}".`)
  return connector
}

export function findConnectorById(db: Db, actor: Actor, id: string): Promise<ConnectorRow | undefined> {
  return selectReadable(db, actor).where('id', '=', id).executeTakeFirst()
}

function selectReadable(db: Db, actor: Actor) {
  return db.selectFrom('connectors').selectAll().where(readable(actor, 'connectors'))
}

/**
 * Returns a text that identifies a connector with its address and credential. The text changes with the connector, its
 * address, token, client or account, but not when tokens are refreshed.
 */
export function credentialIdOf({
  id,
  credential_version,
}: Pick<ConnectorRow, 'id' | 'credential_version'>): string {
  return `${id} ${credential_version}`
}

/** @throws a unique violation when the user has another connector with this name or slug */
export async function insertConnector(db: Db, connector: ConnectorRow): Promise<void> {
  await db.insertInto('connectors').values(connector).execute()
}

/** Inserts connectors, except those whose name or slug has been taken meanwhile. */
export async function insertMissingConnectors(db: Db, connectors: readonly ConnectorRow[]): Promise<void> {
  await db
    .insertInto('connectors')
    .values(connectors)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** @throws a unique violation when the user has another connector with this name or slug */
export async function updateConnector(
  db: Db,
  actor: Actor,
  id: string,
  change: Partial<ConnectorChange>,
): Promise<void> {
  await db
    .updateTable('connectors')
    .set(change)
    .where(changeable(actor, 'connectors'))
    .where('id', '=', id)
    .execute()
}

/** The columns that depend on the connector's server. */
export type ConnectorState = Partial<
  Pick<
    ConnectorRow,
    'status' | 'error_message' | 'call_error' | 'notice' | 'tools_expire_at' | 'tools_read_at' | 'era'
  >
>

/**
 * Stores the state of a connector. Returns false, without a change, when its address or credentials have changed or the
 * user has disconnected it since the row was read.
 */
export async function updateConnectorState(
  db: Db,
  {
    id,
    user_id,
    credential_version,
    status,
  }: Pick<ConnectorRow, 'id' | 'user_id' | 'credential_version' | 'status'>,
  state: ConnectorState,
): Promise<boolean> {
  const update = updateRow(db, { id, user_id })
    .set(state)
    .where('credential_version', '=', credential_version)
  const { numUpdatedRows } = await (
    status === 'disconnected' ? update : update.where('status', '<>', 'disconnected')
  ).executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Resets a default connector whose integration was connected again, so that its tools are refreshed. */
export async function resetConnector(
  db: Db,
  row: Pick<ConnectorRow, 'id' | 'user_id' | 'status'>,
  credential_version: number,
): Promise<void> {
  await updateRow(db, row)
    .set({
      credential_version,
      status: row.status === 'failed' ? 'connected' : row.status,
      error_message: null,
      call_error: null,
      tools_expire_at: null,
      era: null,
    })
    .execute()
}

/**
 * Replaces the sealed client secret of a connector. Returns false, without a change, when the stored one is no longer
 * `known`.
 */
export async function replaceClientSecret(
  db: Db,
  row: Pick<ConnectorRow, 'id' | 'user_id'>,
  known: string,
  client_secret: string,
): Promise<boolean> {
  const { numUpdatedRows } = await updateRow(db, row)
    .set({ client_secret })
    .where('client_secret', '=', known)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

function updateRow(db: Db, { id, user_id }: Pick<ConnectorRow, 'id' | 'user_id'>) {
  return db.updateTable('connectors').where('id', '=', id).where(ofUser(user_id, 'connectors'))
}

export async function deleteConnector(db: Db, actor: Actor, id: string): Promise<void> {
  await db.deleteFrom('connectors').where(changeable(actor, 'connectors')).where('id', '=', id).execute()
}
