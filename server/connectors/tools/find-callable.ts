import type { ConnectorRow, ConnectorToolRow } from '../../db/tables/connector-tables.ts'
import { AppError } from '../../lib/app-error.ts'
import type { ToolCallRequest } from '../calls/call-tool.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { findConnector, findConnectorById } from '../connector-store.ts'
import { decideConsent } from './decide-consent.ts'
import { readArguments } from '../calls/read-arguments.ts'
import { failure } from '../calls/tool-outcome.ts'
import type { ToolOutcome } from '../calls/tool-outcome.ts'
import { findAllowedTool, findTool } from './tool-store.ts'
import { waitsForIntegration } from '../waits-for-integration.ts'

/** What a call needs at hand before anything is sent. */
export interface Callable {
  readonly connector: ConnectorRow
  readonly tool: ConnectorToolRow
  readonly arguments: Readonly<Record<string, unknown>>
}

type Found = Pick<Callable, 'connector' | 'tool'>

/** Finds what a call is for, or says why it is not made. */
export async function findCallable(
  deps: ConnectorDeps,
  request: ToolCallRequest,
): Promise<Callable | ToolOutcome> {
  const { user, connectorName, fingerprint } = request
  const connector = await findConnector(deps.database.db, user, connectorName)
  if (connector === undefined) return failure(`There is no connector named "${connectorName}".`)
  const found = await findUsable(deps, request, connector, fingerprint)
  if ('status' in found) return found
  try {
    return { ...found, arguments: readArguments(request.arguments) }
  } catch (error) {
    if (error instanceof AppError) return failure(error.message)
    throw error
  }
}

/**
 * Looks again once a call's turn has come: its connector may be gone, disconnected or another one by now, or its person
 * may have taken back what let it run.
 */
export async function findCallableStill(
  deps: ConnectorDeps,
  request: ToolCallRequest,
  before: Callable,
): Promise<Callable | ToolOutcome> {
  const { name, id } = before.connector
  const connector = await findConnectorById(deps.database.db, request.user, id)
  if (connector === undefined) {
    return failure(`The connector "${name}" was deleted before the call could be made. It was not made.`)
  }
  const found = await findUsable(deps, request, connector, before.tool.fingerprint)
  return 'status' in found ? found : { ...before, ...found }
}

async function findUsable(
  { database: { db }, builtIns }: ConnectorDeps,
  { toolName, approval }: ToolCallRequest,
  connector: ConnectorRow,
  fingerprint: string | undefined,
): Promise<Found | ToolOutcome> {
  if (await builtIns.isWaiting(connector)) {
    return failure(waitsForIntegration(connector.name), { status: 'authorization_needed' })
  }
  if (connector.status === 'disconnected')
    return failure(`The connector "${connector.name}" is disconnected.`)
  const tool = await findTool(db, connector, toolName)
  if (tool === undefined) return failure(`The connector "${connector.name}" has no tool named "${toolName}".`)
  if (tool.problem !== null) return failure(`The tool "${toolName}" cannot be used: ${tool.problem}.`)
  if (fingerprint !== undefined && fingerprint !== tool.fingerprint) {
    return failure(`The tool "${toolName}" has changed since the call was allowed. It was not called.`)
  }
  // Whoever allowed this very call has said so; what a list allows holds as long as it stands there.
  if (approval !== 'once') {
    const allowed = await findAllowedTool(db, connector, toolName)
    if (decideConsent(connector, tool, allowed).kind !== 'run') {
      return failure(`The tool "${toolName}" may not run without asking any more. It was not called.`)
    }
  }
  return { connector, tool }
}
