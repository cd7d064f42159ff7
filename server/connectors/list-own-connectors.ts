import type { ConnectorRow } from '../db/connector-tables.ts'
import type { Db } from '../db/database.ts'
import { newId } from '../db/new-id.ts'
import type { BuiltInConnector, BuiltInConnectors } from './built-in/built-in-connectors.ts'
import { insertMissingConnectors, listConnectors } from './connector-store.ts'
import type { Owner } from './connector-store.ts'

/** A person's connectors, the default ones first: everybody has those, from the first look at the list on. */
export async function listOwnConnectors(
  db: Db,
  user: Owner,
  { list }: BuiltInConnectors,
  now: number,
): Promise<ConnectorRow[]> {
  const connectors = await listConnectors(db, user)
  const known = new Set(connectors.filter((row) => row.is_default === 1).map(({ url }) => url))
  const missing = list.filter(({ url }) => !known.has(url))
  const offered = new Set(list.map(({ url }) => url))
  const shown = (rows: readonly ConnectorRow[]) =>
    rows.filter(({ is_default, url }) => is_default === 0 || offered.has(url))
  if (missing.length === 0) return shown(connectors)
  await insertMissingConnectors(
    db,
    missing.map((builtIn, index) => toRow(user, builtIn, now + index)),
  )
  return shown(await listConnectors(db, user))
}

/** Its tools ask, so that a newcomer meets the approval at once. */
function toRow(user: Owner, { name, url, slug }: BuiltInConnector, created_at: number): ConnectorRow {
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
    credential_version: 1,
    tools_expire_at: null,
    era: null,
    created_at,
  }
}
