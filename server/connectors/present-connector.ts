import { connectorStatuses, type Connector, type ConnectorTool } from '@yonder/contract/connector'
import { maskSecret } from '../db/secrets/credential.ts'
import { clientSecretContext, connectorTokenContext } from '../db/secrets/seal-contexts.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { ConnectorRow } from '../db/tables/connector-tables.ts'
import type { ConnectorDeps } from './connector-deps.ts'
import { maskHeaders } from './connector-headers.ts'
import { credentialIdOf } from './connector-store.ts'
import type { PermissionVersion } from './tools/permission-store.ts'
import { type AllowanceCeiling, decideKind } from './tools/resolve-tool.ts'
import type { ToolHead } from './tools/tool-store.ts'

/** Converts a connector, without its tools, to the form that its owner gets, with secrets masked. */
export function presentConnector(
  connector: ConnectorRow,
  permissions: readonly PermissionVersion[],
  sealer: Sealer,
): Omit<Connector, 'tools'> {
  const namesOf = (permission: PermissionVersion['permission']) =>
    permissions.filter((row) => row.permission === permission).map(({ name }) => name)
  return {
    name: connector.name,
    url: connector.url,
    token: maskSecret(sealer, connectorTokenContext(connector), connector.token),
    client_id: connector.client_id,
    client_secret: maskSecret(sealer, clientSecretContext(connector), connector.client_secret),
    ...(connector.headers === null ? {} : { headers: maskHeaders(sealer, connector) }),
    status: presentStatus(connector),
    is_default: connector.is_default === 1,
    error_message: connector.status === 'connected' ? connector.call_error : connector.error_message,
    notice: connector.notice,
    allow_tools: connector.asks === 0 ? null : namesOf('allow'),
    block_tools: namesOf('block'),
    time_limit: connector.time_limit,
    pictures: connector.pictures === 1,
    credential: credentialIdOf(connector),
  }
}

/** A connector whose server lists its tools but refuses or fails calls is shown as failed. */
function presentStatus({ status, call_error }: ConnectorRow): Connector['status'] {
  if (status === 'connected' && call_error !== null) return 'failed'
  return connectorStatuses.find((known) => known === status) ?? 'disconnected'
}

/** Converts pages of a connector's tools to the form that its owner gets. */
export async function* presentTools(
  connector: ConnectorRow,
  pages: AsyncIterable<readonly ToolHead[]>,
  permissions: readonly PermissionVersion[],
  { settings: { ceilings }, now }: Pick<ConnectorDeps, 'settings' | 'now'>,
): AsyncGenerator<readonly ConnectorTool[]> {
  const permissionOf = new Map(permissions.map((row) => [row.name, row]))
  const { maxGrantMs } = ceilings
  for await (const tools of pages)
    yield tools.map((tool) => {
      const ceiling = { rule: ceilings.ruleOf(connector, tool.name), maxGrantMs, now: now() }
      return presentTool(connector, tool, permissionOf.get(tool.name), ceiling)
    })
}

function presentTool(
  connector: ConnectorRow,
  tool: ToolHead,
  permission: PermissionVersion | undefined,
  ceiling: AllowanceCeiling,
): ConnectorTool {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    fingerprint: tool.fingerprint,
    consent: decideKind(connector, tool, permission, ceiling),
    ...(ceiling.rule === undefined ? {} : { operator: ceiling.rule }),
    problem: tool.problem,
  }
}
