import type { ApiType } from '@yonder/contract/bot'
import type { ModelTool } from '@yonder/contract/connector'
import type { Actor } from '../../access/access.ts'
import type { ConnectorRow, ConnectorToolRow } from '../../db/tables/connector-tables.ts'
import { AppError } from '../../lib/app-error.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { adaptTools, type OfferedTool } from './adapt-tools.ts'
import { listOfferedTools } from './list-model-tools.ts'
import { findTool } from './tool-store.ts'

/**
 * Returns what models read of a tool, taken from what they are offered. A tool that is not offered now is
 * described as it would be offered alone.
 * @throws AppError `not_found`
 */
export async function readModelTool(
  deps: ConnectorDeps,
  user: Actor,
  connector: ConnectorRow,
  toolName: string,
): Promise<ModelTool> {
  const row = await findTool(deps.database.db, connector, toolName)
  if (row === undefined) {
    throw new AppError('not_found', `The connector "${connector.name}" has no tool named "${toolName}".`)
  }
  // Only the schemas for Google differ from those for other providers.
  const general = await readOffer(deps, user, connector, row, 'openai')
  const google = await readOffer(deps, user, connector, row, 'google')
  const described = general.tool ?? google.tool
  const isSame = canonicalJson(general.tool?.inputSchema) === canonicalJson(google.tool?.inputSchema)
  return {
    fingerprint: row.fingerprint,
    name: described?.name ?? row.name,
    description: described?.description ?? '',
    parameters: described?.inputSchema ?? null,
    google_parameters: isSame ? null : (google.tool?.inputSchema ?? null),
    offered: general.isOffered || google.isOffered,
  }
}

async function readOffer(
  deps: ConnectorDeps,
  user: Actor,
  connector: ConnectorRow,
  row: ConnectorToolRow,
  apiType: ApiType,
): Promise<{ readonly tool: OfferedTool | undefined; readonly isOffered: boolean }> {
  const offered = (await listOfferedTools(deps, user, apiType)).find(connector, row.name)
  if (offered !== undefined) return { tool: offered, isOffered: true }
  const alone = await adaptTools([{ connector, tools: [row] }], apiType)
  return { tool: alone.tools[0], isOffered: false }
}
