import { createHash } from 'node:crypto'
import { type Actor, ownedBy } from '../access/access.ts'
import type { Db } from '../db/database.ts'
import type { ConnectorRow } from '../db/tables/connector-tables.ts'
import {
  type BuiltInConnectors,
  type OwnedBuiltIn,
  createBuiltInConnectors,
  explainMissingIntegration,
} from './built-in/built-in-connectors.ts'
import type { ConnectorDeps } from './connector-deps.ts'
import { slugName } from './connector-name.ts'
import {
  deleteConnector,
  emptyConnector,
  findConnector,
  insertMissingConnectors,
  listConnectors,
  requireConnector,
  resetConnector,
} from './connector-store.ts'

/**
 * Creates the default connectors that the user lacks, resets those of integrations that were connected again, and
 * deletes those of integrations that were disconnected, with their permissions. Returns the connectors of the
 * user, default ones first, without those that only another version of the product includes. `now` is in milliseconds
 * since 1970.
 */
export async function syncConnectors(
  db: Db,
  user: Actor,
  builtIns: BuiltInConnectors,
  now: number,
): Promise<ConnectorRow[]> {
  const owned = await readOwned(db, user, builtIns)
  const rows = await listConnectors(db, user)
  const changed = await syncBuiltIns(db, user, rows, owned, builtIns, now)
  return selectOwned(changed ? await listConnectors(db, user) : rows, owned)
}

/** Returns the connectors of a user as `syncConnectors` does, which must have been called before. Writes nothing. */
export async function readConnectors(
  db: Db,
  user: Actor,
  builtIns: BuiltInConnectors,
): Promise<ConnectorRow[]> {
  return selectOwned(await listConnectors(db, user), await readOwned(db, user, builtIns))
}

/**
 * Returns a connector of the user. If the name may be that of a default connector, the default connectors are
 * synchronised first, because they are created only when the user first needs them.
 * @throws AppError `not_found`
 */
export async function requireSyncedConnector(
  { database: { db }, builtIns, now }: Pick<ConnectorDeps, 'database' | 'builtIns' | 'now'>,
  user: Actor,
  name: string,
): Promise<ConnectorRow> {
  const known = await findConnector(db, user, name)
  const mayBeDefault = known?.is_default === 1 || builtIns.list.some((builtIn) => builtIn.name === name)
  if (!mayBeDefault) return requireConnector(db, user, name)
  const synced = await syncConnectors(db, user, builtIns, now())
  const connector = synced.find((row) => row.name === name)
  return connector ?? requireConnector(db, user, name)
}

type OwnedByUrl = ReadonlyMap<string, OwnedBuiltIn>

async function readOwned(db: Db, user: Actor, builtIns: BuiltInConnectors): Promise<OwnedByUrl> {
  return new Map((await builtIns.listFor(db, user.id)).map((builtIn) => [builtIn.url, builtIn]))
}

/** Leaves out the default connectors that the user does not have. */
function selectOwned(rows: readonly ConnectorRow[], owned: OwnedByUrl): ConnectorRow[] {
  return rows.flatMap((row) => {
    if (row.is_default === 0) return [row]
    const builtIn = owned.get(row.url)
    return builtIn === undefined ? [] : [withIntegrationStatus(row, builtIn)]
  })
}

/** Creates the default connectors of a user who signs in for the first time, and returns them. */
export function addDefaultConnectors(trx: Db, user: Actor, now: number): Promise<ConnectorRow[]> {
  return syncConnectors(
    trx,
    user,
    createBuiltInConnectors(() => now),
    now,
  )
}

/** Updates the rows of default connectors to the user's current integrations. Returns whether anything changed. */
async function syncBuiltIns(
  db: Db,
  user: Actor,
  rows: readonly ConnectorRow[],
  owned: OwnedByUrl,
  builtIns: BuiltInConnectors,
  now: number,
): Promise<boolean> {
  const known = new Map(rows.filter((row) => row.is_default === 1).map((row) => [row.url, row]))
  const missing = [...owned.values()].filter(({ url }) => !known.has(url))
  const names = new Set(missing.map(({ name }) => name))
  const isRemoved = ({ url, name }: ConnectorRow) =>
    // A built-in connector that this version does not include is kept for one that does, unless a missing connector
    // needs its name.
    !owned.has(url) && (builtIns.find(url) !== undefined || names.has(name))
  const removed = [...known.values()].filter(isRemoved)
  const reconnected = [...known.values()].flatMap((row) => {
    const version = owned.get(row.url)?.version
    return version === undefined || version === row.credential_version ? [] : [{ row, version }]
  })
  for (const { id } of removed) await deleteConnector(db, user, id)
  for (const { row, version } of reconnected) await resetConnector(db, row, version)
  const kept = rows.filter((row) => !removed.includes(row))
  if (missing.length > 0) await insertMissingConnectors(db, createRows(user, kept, missing, now))
  return removed.length + reconnected.length + missing.length > 0
}

/**
 * Creates the missing rows. A default connector gets a number after its name when another connector of the user
 * has that name. Its tools need approval (`asks`), so that new users see how approvals work.
 */
function createRows(
  user: Actor,
  rows: readonly ConnectorRow[],
  missing: readonly OwnedBuiltIn[],
  now: number,
): ConnectorRow[] {
  const names = new Set(rows.map(({ name }) => name.toLowerCase()))
  const slugs = new Set(rows.map(({ slug }) => slug))
  return missing.map(({ url, version, ...builtIn }, index) => {
    let { name } = builtIn
    for (let count = 2; names.has(name.toLowerCase()); count++) name = `${builtIn.name} ${count}`
    const slug = slugName(builtIn.slug, slugs)
    names.add(name.toLowerCase())
    slugs.add(slug)
    return {
      // The same when the integration is connected again, so that bots may still use it.
      id: createHash('sha256').update(`${user.id} ${url}`).digest('base64url').slice(0, 22),
      ...ownedBy(user),
      ...emptyConnector,
      name,
      url,
      status: 'connected',
      is_default: 1,
      asks: 1,
      slug,
      credential_version: version,
      created_at: now + index,
    }
  })
}

function withIntegrationStatus(row: ConnectorRow, { isConnected, callError }: OwnedBuiltIn): ConnectorRow {
  if (isConnected) return { ...row, call_error: row.call_error ?? callError ?? null }
  return { ...row, status: 'failed', error_message: explainMissingIntegration(row.name) }
}
