import type { ConnectorRow } from '../db/tables/connector-tables.ts'
import type { Db } from '../db/database.ts'
import type { ConnectorDeps } from './connector-deps.ts'
import { findConnectorById, updateConnectorState } from './connector-store.ts'
import type { ConnectorState } from './connector-store.ts'
import { listTools } from './tools/tool-store.ts'
import { connectionPrefix } from './mcp/connection-pool.ts'

type Deps = Pick<ConnectorDeps, 'database' | 'onChanged'>

/**
 * Stores the state of a connector, and with `more` what belongs to it, unless its address or credentials have changed
 * meanwhile. The user's pages are notified only of visible changes: reading a list refreshes expired ones, and must not
 * trigger itself.
 */
export async function changeState(
  { database, onChanged }: Deps,
  connector: ConnectorRow,
  state: ConnectorState,
  more: (trx: Db) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const differs = await database.db.transaction().execute(async (trx) => {
    const before = await readVisibleState(trx, connector)
    if (!(await updateConnectorState(trx, connector, state))) return false
    await more(trx)
    return before !== (await readVisibleState(trx, connector))
  })
  if (differs) onChanged(connector.user_id)
}

/** The visible state of a connector, as far as its server decides it. */
async function readVisibleState(trx: Db, { id, user_id }: ConnectorRow): Promise<string> {
  const connector = await findConnectorById(trx, { id: user_id }, id)
  const tools = await listTools(trx, [id])
  return JSON.stringify([
    connector?.status,
    connector?.error_message,
    connector?.notice,
    tools.map(({ name, fingerprint, problem }) => [name, fingerprint, problem]),
  ])
}

/** Closes a connector's connections. Its tools are no longer offered. */
export async function disconnectConnector(deps: ConnectorDeps, connector: ConnectorRow): Promise<void> {
  await changeState(deps, connector, { status: 'disconnected', error_message: null })
  await deps.shared.pool.drop(connectionPrefix(connector))
}
