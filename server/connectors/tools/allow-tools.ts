import type { ConnectorInput } from '@yonder/contract/connector'
import type { AllowedToolRow, ConnectorRow } from '../../db/tables/connector-tables.ts'
import type { Db } from '../../db/database.ts'
import { AppError } from '../../lib/app-error.ts'
import { listAllowedTools, listTools, replaceAllowedTools } from './tool-store.ts'

/**
 * Stores the list of allowed tools, in the caller's transaction. A name that is new on the list is allowed as the tool
 * is now; a name that was on it before stays allowed as it was then, unless its fingerprint says that the user saw the
 * tool as it is now.
 * @throws AppError `conflict` when a tool is not the one that the user saw
 */
export async function allowTools(
  trx: Db,
  connector: Pick<ConnectorRow, 'id'>,
  { allow_tools, tool_fingerprints = {} }: Pick<ConnectorInput, 'allow_tools' | 'tool_fingerprints'>,
): Promise<void> {
  if (allow_tools === undefined) return
  const before = new Map((await listAllowedTools(trx, [connector.id])).map((row) => [row.name, row]))
  const known = new Map((await listTools(trx, [connector.id])).map((tool) => [tool.name, tool]))
  const rows = (allow_tools ?? []).map((name, position): AllowedToolRow => {
    const tool = known.get(name)
    const seen = Object.hasOwn(tool_fingerprints, name) ? tool_fingerprints[name] : undefined
    if (seen !== undefined && tool?.fingerprint !== seen) throw changedMeanwhile(name)
    const kept = seen === undefined ? before.get(name) : undefined
    const pinned = kept ?? tool
    return {
      connector_id: connector.id,
      name,
      position,
      fingerprint: pinned?.fingerprint ?? null,
      definition: pinned?.definition ?? null,
    }
  })
  await replaceAllowedTools(trx, connector, rows)
}

function changedMeanwhile(name: string): AppError {
  return new AppError('conflict', `The tool "${name}" has changed since you saw it. Look at it again first.`)
}

/** Whether the user has not seen this connector's tools yet, and so has not chosen which of them need approval. */
export async function isUnseen(trx: Db, { id }: Pick<ConnectorRow, 'id'>): Promise<boolean> {
  const [tools, allowed] = [await listTools(trx, [id]), await listAllowedTools(trx, [id])]
  return tools.length === 0 && allowed.length === 0
}

/**
 * Allows the tools of a built-in connector that need no approval until the user chooses otherwise. They are allowed as
 * they are now, so a changed tool needs approval. Call it in the transaction that stores the tools.
 */
export async function allowInitialTools(
  trx: Db,
  connector: Pick<ConnectorRow, 'id'>,
  initialTools: readonly string[],
): Promise<void> {
  const known = new Set((await listTools(trx, [connector.id])).map(({ name }) => name))
  await allowTools(trx, connector, { allow_tools: initialTools.filter((name) => known.has(name)) })
}
