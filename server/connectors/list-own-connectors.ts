import type { ConnectorRow } from '../db/tables/connector-tables.ts'
import type { Db } from '../db/database.ts'
import { newId } from '../lib/new-id.ts'
import type { BuiltInConnectors, OwnedBuiltIn } from './built-in/built-in-connectors.ts'
import {
  deleteConnector,
  insertMissingConnectors,
  listConnectors,
  refreshConnector,
} from './connector-store.ts'
import type { Owner } from './connector-store.ts'
import { slugName } from './connector-name.ts'
import { waitsForIntegration } from './built-in/built-in-connectors.ts'

/**
 * The user's connectors, default ones first. Default connectors are created when the list is first read; those of an
 * integration are deleted, with their allowed tools, when the integration is disconnected.
 */
export async function listOwnConnectors(
  db: Db,
  user: Owner,
  builtIns: BuiltInConnectors,
  now: number,
): Promise<ConnectorRow[]> {
  const [offered, rows] = await Promise.all([builtIns.listFor(user.id), listConnectors(db, user)])
  const owned = new Map(offered.map((builtIn) => [builtIn.url, builtIn]))
  const changed = await followIntegrations(db, user, rows, owned, builtIns, now)
  return (changed ? await listConnectors(db, user) : rows).flatMap((row) => {
    if (row.is_default === 0) return [row]
    const builtIn = owned.get(row.url)
    return builtIn === undefined ? [] : [showWaiting(row, builtIn)]
  })
}

/** Updates the rows of default connectors to what the user has now; returns whether anything changed. */
async function followIntegrations(
  db: Db,
  user: Owner,
  rows: readonly ConnectorRow[],
  owned: ReadonlyMap<string, OwnedBuiltIn>,
  builtIns: BuiltInConnectors,
  now: number,
): Promise<boolean> {
  const known = new Map(rows.filter((row) => row.is_default === 1).map((row) => [row.url, row]))
  const missing = [...owned.values()].filter(({ url }) => !known.has(url))
  const names = new Set(missing.map(({ name }) => name))
  const isGone = ({ url, name }: ConnectorRow) =>
    // A connector that the product no longer declares is kept in case it returns, unless another takes its name.
    !owned.has(url) && (builtIns.find(url) !== undefined || names.has(name))
  const gone = [...known.values()].filter(isGone)
  const renewed = [...known.values()].flatMap((row) => {
    const version = owned.get(row.url)?.version
    return version === undefined || version === row.credential_version ? [] : [{ row, version }]
  })
  for (const { id } of gone) await deleteConnector(db, user, id)
  for (const { row, version } of renewed) await refreshConnector(db, row, version)
  const kept = rows.filter((row) => !gone.includes(row))
  if (missing.length > 0) await insertMissingConnectors(db, placeBeside(user, kept, missing, now))
  return gone.length + renewed.length + missing.length > 0
}

/** A user may have connectors of their own with the same names. */
function placeBeside(
  user: Owner,
  rows: readonly ConnectorRow[],
  missing: readonly OwnedBuiltIn[],
  now: number,
): ConnectorRow[] {
  const names = new Set(rows.map(({ name }) => name.toLowerCase()))
  const slugs = new Set(rows.map(({ slug }) => slug))
  return missing.map((builtIn, index) => {
    const name = nameBeside(builtIn.name, names)
    const slug = slugName(builtIn.slug, slugs)
    names.add(name.toLowerCase())
    slugs.add(slug)
    return toRow(user, { ...builtIn, name, slug }, now + index)
  })
}

function nameBeside(name: string, taken: ReadonlySet<string>): string {
  let free = name
  for (let count = 2; taken.has(free.toLowerCase()); count++) free = `${name} ${count}`
  return free
}

function showWaiting(row: ConnectorRow, { isConnected }: OwnedBuiltIn): ConnectorRow {
  if (isConnected) return row
  return { ...row, status: 'failed', error_message: waitsForIntegration(row.name) }
}

/** Its tools need approval, so that a new user sees an approval at once. */
function toRow(user: Owner, { name, url, slug, version }: OwnedBuiltIn, created_at: number): ConnectorRow {
  return {
    id: newId(),
    user_id: user.id,
    name,
    url,
    token: null,
    client_id: null,
    client_secret: null,
    status: 'connected',
    error_message: null,
    notice: null,
    is_default: 1,
    asks: 1,
    slug,
    credential_version: version,
    tools_expire_at: null,
    era: null,
    created_at,
  }
}
