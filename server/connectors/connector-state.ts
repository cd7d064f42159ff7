import { ownerOf } from '../access/access.ts'
import type { Db } from '../db/database.ts'
import type { ConnectorRow } from '../db/tables/connector-tables.ts'
import type { ConnectorDeps } from './connector-deps.ts'
import { findConnectorById, updateConnectorState, type ConnectorState } from './connector-store.ts'
import { connectionPrefix } from './mcp/connection-pool.ts'
import { listToolVersions } from './tools/tool-store.ts'

type Deps = Pick<ConnectorDeps, 'database' | 'onChanged'>

/**
 * Stores the state of a connector, and calls `alsoWrite` in the same transaction, unless the connector's address or
 * credentials have changed or the user has disconnected it meanwhile. The user's pages are notified only of visible
 * changes. Otherwise a page that loads the connectors, and so refreshes them, would be notified again and again.
 */
export async function changeState(
  { database, onChanged }: Deps,
  connector: ConnectorRow,
  state: ConnectorState,
  alsoWrite: (trx: Db) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const hasChanged = await database.db.transaction().execute(async (trx) => {
    const before = await readVisibleState(trx, connector)
    if (!(await updateConnectorState(trx, connector, state))) return false
    await alsoWrite(trx)
    return before !== (await readVisibleState(trx, connector))
  })
  if (hasChanged) onChanged(connector.user_id)
}

/** Returns the part of a connector's visible state that depends on its server, as comparable text. */
async function readVisibleState(trx: Db, row: ConnectorRow): Promise<string> {
  const connector = await findConnectorById(trx, ownerOf(row), row.id)
  const tools = await listToolVersions(trx, [row.id])
  return JSON.stringify([
    connector?.status,
    connector?.error_message,
    connector?.call_error,
    connector?.notice,
    tools.map(({ name, fingerprint, problem }) => [name, fingerprint, problem]),
  ])
}

/**
 * Stores why calls of a connector fail although its server can be reached, or null when they work. The integration of
 * the connector, if it has one, stores it too, since an integration has a card of its own.
 */
export async function storeCallError(
  deps: Pick<ConnectorDeps, 'database' | 'onChanged' | 'builtIns'>,
  connector: ConnectorRow,
  failure: string | null,
): Promise<void> {
  await changeState(deps, connector, { call_error: failure })
  await deps.builtIns.recordFailure(connector, failure)
}

export function setDisconnected(deps: Deps, connector: ConnectorRow): Promise<void> {
  return changeState(deps, connector, { status: 'disconnected', error_message: null, call_error: null })
}

/** Disconnects a connector: its tools are no longer offered, and its idle connections are closed. */
export async function disconnectConnector(deps: ConnectorDeps, connector: ConnectorRow): Promise<void> {
  await setDisconnected(deps, connector)
  await deps.shared.pool.drop(connectionPrefix(connector))
}
