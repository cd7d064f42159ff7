import type { ConnectorInput } from '@yonder/contract/connector'
import { z } from 'zod'
import type { Db } from '../../db/database.ts'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { AppError } from '../../lib/app-error.ts'
import { listAllowedTools, listTools, replaceAllowedTools } from './tool-store.ts'

/** Returns the names of a connector's blocked tools, which are not offered to models. */
export function blockedToolsOf({ blocked_tools }: Pick<ConnectorRow, 'blocked_tools'>): ReadonlySet<string> {
  return new Set(blocked_tools === null ? [] : z.array(z.string()).parse(JSON.parse(blocked_tools)))
}

/**
 * Returns the stored form of the blocked tools after an input. Without `allow_tools` in the input, removes them from
 * the stored list of allowed tools, in the caller's transaction. A tool is never in both lists: blocking a tool removes
 * its approval, and an input that allows a blocked tool is refused.
 * @throws AppError `invalid_request` when the input itself names a tool in both lists, `conflict` when it allows a tool
 * that is blocked already
 */
export async function blockTools(
  trx: Db,
  connector: Pick<ConnectorRow, 'id' | 'blocked_tools'>,
  { allow_tools, block_tools }: Pick<ConnectorInput, 'allow_tools' | 'block_tools'>,
): Promise<string | null> {
  if (block_tools === undefined && !allow_tools) return connector.blocked_tools
  const stored = blockedToolsOf(connector)
  const allowed = await listAllowedTools(trx, [connector.id])
  const tools = await listTools(trx, [connector.id])
  const known = new Set([...stored, ...[...allowed, ...tools].map(({ name }) => name)])
  // Names are trimmed, except those of tools that begin or end with a space.
  const toName = (name: string): string => (known.has(name) ? name : name.trim())
  const blocked = block_tools === undefined ? stored : new Set(block_tools?.map(toName))
  const allowedNow = allow_tools?.map(toName).find((name) => blocked.has(name))
  if (allowedNow !== undefined) throw blockedAndAllowed(allowedNow, block_tools !== undefined)
  if (block_tools === undefined) return connector.blocked_tools
  if (allow_tools === undefined && allowed.some(({ name }) => blocked.has(name))) {
    const kept = allowed.filter(({ name }) => !blocked.has(name))
    await replaceAllowedTools(trx, connector, kept)
  }
  return blocked.size === 0 ? null : JSON.stringify([...blocked])
}

function blockedAndAllowed(name: string, isInInput: boolean): AppError {
  return isInInput
    ? new AppError('invalid_request', `The tool "${name}" cannot be allowed and blocked at once.`)
    : new AppError('conflict', `The tool "${name}" is blocked. Unblock it in Configure Tools first.`)
}
