import type { ConnectorInput } from '@yonder/contract/connector'
import type { Db } from '../../db/database.ts'
import type { AllowedToolRow, ConnectorRow } from '../../db/tables/connector-tables.ts'
import { AppError } from '../../lib/app-error.ts'
import { listAllowedTools, listTools, replaceAllowedTools } from './tool-store.ts'

/**
 * Stores the list of allowed tools, in the caller's transaction. A tool that is new on the list is allowed with its
 * current definition. A tool that was already on the list stays allowed with its earlier definition, unless the input
 * contains the current fingerprint, which shows that the user saw the current definition.
 * @throws AppError `conflict` when a tool is not the one that the user saw, or no longer exists
 */
export async function allowTools(
  trx: Db,
  connector: Pick<ConnectorRow, 'id'>,
  { allow_tools, tool_fingerprints = {} }: Pick<ConnectorInput, 'allow_tools' | 'tool_fingerprints'>,
): Promise<void> {
  if (allow_tools === undefined) return
  const before = new Map((await listAllowedTools(trx, [connector.id])).map((row) => [row.name, row]))
  const known = new Map((await listTools(trx, [connector.id])).map((tool) => [tool.name, tool]))
  // Names are trimmed, except those of tools that begin or end with a space.
  const names = (allow_tools ?? []).map((name) => (known.has(name) || before.has(name) ? name : name.trim()))
  const rows = [...new Set(names)].map((name, position): AllowedToolRow => {
    const tool = known.get(name)
    const seen = Object.hasOwn(tool_fingerprints, name) ? tool_fingerprints[name] : undefined
    if (seen !== undefined && tool?.fingerprint !== seen) throw differsFromSeen(name, tool !== undefined)
    const earlier = seen === undefined ? before.get(name) : undefined
    const allowedVersion = earlier ?? tool
    return {
      connector_id: connector.id,
      name,
      position,
      fingerprint: allowedVersion?.fingerprint ?? null,
      definition: allowedVersion?.definition ?? null,
    }
  })
  await replaceAllowedTools(trx, connector, rows)
}

function differsFromSeen(name: string, exists: boolean): AppError {
  return new AppError(
    'conflict',
    exists
      ? `The tool "${name}" has changed since you saw it. Reload the page and review it again.`
      : `The connector no longer has the tool "${name}". Reload the page to see its current tools.`,
  )
}

/** Whether a connector has neither known nor allowed tools, so that the user cannot have chosen any yet. */
export async function hasNoStoredTools(trx: Db, { id }: Pick<ConnectorRow, 'id'>): Promise<boolean> {
  const [tools, allowed] = [await listTools(trx, [id]), await listAllowedTools(trx, [id])]
  return tools.length === 0 && allowed.length === 0
}

/**
 * Allows the tools of a built-in connector that need no approval until the user chooses otherwise. They are allowed
 * with their current definitions, so a changed tool needs approval. Call this in the transaction that stores the tools.
 */
export async function allowInitialTools(
  trx: Db,
  connector: Pick<ConnectorRow, 'id'>,
  initiallyAllowedTools: readonly string[],
): Promise<void> {
  const known = new Set((await listTools(trx, [connector.id])).map(({ name }) => name))
  await allowTools(trx, connector, { allow_tools: initiallyAllowedTools.filter((name) => known.has(name)) })
}
