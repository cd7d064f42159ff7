import type { ConnectorRow } from '../db/tables/connector-tables.ts'
import type { Db } from '../db/database.ts'
import type { ConnectorDeps } from './connector-deps.ts'
import { findConnectorById, updateConnectorState } from './connector-store.ts'
import type { ConnectorState } from './connector-store.ts'
import { listTools } from './tools/tool-store.ts'
import { connectionPrefix } from './mcp/connection-pool.ts'

type Deps = Pick<ConnectorDeps, 'database' | 'onChanged'>

/**
 * Notes how a connector stands, and with `more` what belongs to that, unless it is another one meanwhile. Its person's
 * pages are told only of what they can see: a list that is read tends to what is old in it, and must not call for itself.
 */
export async function changeState(
  { database, onChanged }: Deps,
  connector: ConnectorRow,
  state: ConnectorState,
  more: (trx: Db) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const differs = await database.db.transaction().execute(async (trx) => {
    const before = await readLook(trx, connector)
    if (!(await updateConnectorState(trx, connector, state))) return false
    await more(trx)
    return before !== (await readLook(trx, connector))
  })
  if (differs) onChanged(connector.user_id)
}

/** What its server decides of a connector and people see. */
async function readLook(trx: Db, { id, user_id }: ConnectorRow): Promise<string> {
  const connector = await findConnectorById(trx, { id: user_id }, id)
  const tools = await listTools(trx, [id])
  return JSON.stringify([
    connector?.status,
    connector?.error_message,
    connector?.notice,
    tools.map(({ name, fingerprint, problem }) => [name, fingerprint, problem]),
  ])
}

/** Ends a connector's connections; its tools are not offered any more. */
export async function disconnectConnector(deps: ConnectorDeps, connector: ConnectorRow): Promise<void> {
  await changeState(deps, connector, { status: 'disconnected', error_message: null })
  await deps.shared.pool.drop(connectionPrefix(connector))
}
