import { ownerOf } from '../../access/access.ts'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { listToolCalls } from '../calls/call-record-store.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import type { AdaptedTool } from './adapt-tools.ts'
import { listPermissions } from './permission-store.ts'

/** Milliseconds after which a call no longer counts as recent. */
const maxAgeMs = 30 * 24 * 60 * 60 * 1_000
/** How many of a connector's latest calls are read. */
const maxCalls = 100

/**
 * Returns a function that says whether a tool comes first when not all fit into a request: whether it is on a list of
 * allowed tools or was called recently. A connector without a list allows all of its tools, which says nothing
 * about each of them.
 */
export async function findPreferredTools(
  { database: { db }, now }: Pick<ConnectorDeps, 'database' | 'now'>,
  connectors: readonly ConnectorRow[],
): Promise<(tool: AdaptedTool) => boolean> {
  const withList = connectors.filter(({ asks }) => asks === 1).map(({ id }) => id)
  const since = now() - maxAgeMs
  const [decided, ...calls] = await Promise.all([
    // Blocked tools are not offered anyway.
    listPermissions(db, withList),
    ...connectors.map((connector) =>
      listToolCalls(db, ownerOf(connector), connector.id, { before: undefined, limit: maxCalls }),
    ),
  ])
  const recent = calls.flat().filter((call) => call.started_at > since && call.approval !== 'denied')
  const keys = new Set([
    ...decided.map(({ connector_id, name }) => `${connector_id} ${name}`),
    ...recent.map(({ connector_id, tool }) => `${connector_id} ${tool}`),
  ])
  return ({ connector, toolName }) => keys.has(`${connector.id} ${toolName}`)
}
