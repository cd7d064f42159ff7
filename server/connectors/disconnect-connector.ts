import type { ConnectorRow } from '../db/tables/connector-tables.ts'
import { changeState } from './change-state.ts'
import { connectionPrefix } from './mcp/connection-key.ts'
import type { ConnectorDeps } from './connector-deps.ts'

/** Ends a connector's connections; its tools are not offered any more. */
export async function disconnectConnector(deps: ConnectorDeps, connector: ConnectorRow): Promise<void> {
  await changeState(deps, connector, { status: 'disconnected', error_message: null })
  await deps.shared.pool.drop(connectionPrefix(connector))
}
