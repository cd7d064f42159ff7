import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  maxToolNames,
  type ConnectorInput,
  type PermissionsInput,
  type ToolPermission,
} from '@yonder/contract/connector'
import type { Actor } from '../../access/access.ts'
import type { Db } from '../../db/database.ts'
import type { ConnectorRow, ConnectorToolRow, ToolPermissionRow } from '../../db/tables/connector-tables.ts'
import { lockUser } from '../../identity/users/user-store.ts'
import { AppError } from '../../lib/app-error.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { credentialIdOf, requireConnector, updateConnector } from '../connector-store.ts'
import { deleteGrants } from './grant-store.ts'
import type { OperatorCeilings } from './operator-ceilings.ts'
import {
  type DecidedTool,
  deletePermissions,
  insertPermissions,
  keepPermissions,
  listPermissions,
  storePermission,
} from './permission-store.ts'
import { findTool, listToolVersions } from './tool-store.ts'

type Connector = Pick<ConnectorRow, 'id' | 'user_id' | 'is_default' | 'url'>
type Deps = Pick<ConnectorDeps, 'database' | 'settings' | 'now'>
/** What a change of permissions depends on besides the stored rows. */
type Rules = Pick<Deps['settings'], 'ceilings'> & Pick<Deps, 'now'>

/** Permissions that are changed in one turn of the event loop. */
const changesPerTurn = 20
/** Of one connector; two full lists. */
const maxPermissions = 2 * maxToolNames

/**
 * Changes the permissions of some tools of a connector, each with one statement: all of them, or none.
 * @throws AppError `not_found`, `conflict`
 */
export function changePermissions(
  { database: { db }, settings: { ceilings }, now }: Deps,
  user: Actor,
  name: string,
  { tools, asks, credential }: PermissionsInput,
): Promise<ConnectorRow> {
  return db.transaction().execute(async (trx) => {
    // Waits for a change of the whole connector, which replaces the lists.
    await lockUser(trx, user)
    const connector = await requireConnector(trx, user, name)
    requireSameCredential(connector, credential)
    const changed = asks === undefined ? connector : { ...connector, asks: asks ? 1 : 0 }
    if (changed.asks !== connector.asks) {
      await updateConnector(trx, user, connector.id, { asks: changed.asks })
      await deletePermissions(trx, connector, { permission: 'allow' })
      await deleteGrants(trx, user, { connector_id: connector.id })
    }
    for (const [index, tool] of tools.entries()) {
      await changePermission(trx, connector, tool, { ceilings, now })
      // SQLite returns within the same turn of the event loop.
      if (index % changesPerTurn === changesPerTurn - 1) await nextTurn()
    }
    if ((await listPermissions(trx, [connector.id])).length > maxPermissions) {
      throw conflict(
        `At most ${maxPermissions} tools of "${name}" can be allowed or blocked. Take some back.`,
      )
    }
    return changed
  })
}

async function changePermission(
  trx: Db,
  connector: Connector,
  change: ToolPermission,
  { ceilings, now }: Rules,
): Promise<void> {
  const { name, permission, fingerprint } = change
  if (permission === 'ask') return deletePermissions(trx, connector, { name })
  if (permission === 'allow') requireAllowable(ceilings, connector, name)
  if (await storePermission(trx, connector, change, now())) return
  await requireSeenTool(trx, connector, name, fingerprint)
  throw isBlocked(name)
}

/**
 * Finds the tool of a connector that the user has seen.
 * @throws AppError `conflict` when there is none, or it has another fingerprint by now
 */
export async function requireSeenTool(
  trx: Db,
  connector: Pick<ConnectorRow, 'id'>,
  name: string,
  fingerprint: string | undefined,
): Promise<ConnectorToolRow> {
  const tool = await findTool(trx, connector, name)
  if (tool === undefined)
    throw conflict(
      `The connector no longer has the tool "${name}". Reload the page to see its current tools.`,
    )
  if (fingerprint !== undefined && fingerprint !== tool.fingerprint)
    throw conflict(`The tool "${name}" has changed since you saw it. Reload the page and review it again.`)
  return tool
}

/**
 * Checks that the connector and its credential are those of the waiting call that the user decides about.
 * @throws AppError `conflict`
 */
export function requireSameCredential(connector: ConnectorRow, credential: string | undefined): void {
  if (credential === undefined || credential === credentialIdOf(connector)) return
  throw conflict(
    `The connector "${connector.name}" was added again, or its address, credential or account has changed since approval was requested. Deny the call, and the model can request it again.`,
  )
}

/**
 * Checks that the operator lets users allow a tool for more than one call.
 * @throws AppError `conflict`
 */
export function requireAllowable(
  ceilings: Pick<OperatorCeilings, 'ruleOf'>,
  connector: Pick<ConnectorRow, 'is_default' | 'url'>,
  name: string,
): void {
  const rule = ceilings.ruleOf(connector, name)
  if (rule === 'blocked') throw conflict(`The operator of this server has blocked the tool "${name}".`)
  if (rule === 'asks')
    throw conflict(`The operator of this server lets the tool "${name}" always ask. Allow each call once.`)
}

/**
 * Replaces the lists of allowed and of blocked tools by those of an input, in the caller's transaction; an absent list
 * stays. A tool that is new on the list of allowed ones is allowed with its current definition, or else the first that
 * will be read (`completeAllowed`); the others with their earlier ones. A tool is never in both lists: blocking it takes it off the list of allowed ones.
 * @throws AppError `invalid_request` when the input itself names a tool in both lists, `conflict` when it allows a tool
 * that is blocked already, or that the operator does not let users allow
 */
export async function replacePermissions(
  trx: Db,
  connector: Connector,
  { allow_tools, block_tools }: Pick<ConnectorInput, 'allow_tools' | 'block_tools'>,
  { ceilings, now }: Rules,
): Promise<void> {
  if (allow_tools === undefined && block_tools === undefined) return
  const before = new Map((await listPermissions(trx, [connector.id])).map((row) => [row.name, row]))
  const tools = new Set((await listToolVersions(trx, [connector.id])).map(({ name }) => name))
  const listOf = (permission: ToolPermissionRow['permission'], names: readonly string[] | null | undefined) =>
    new Set(
      names === undefined
        ? [...before.values()].filter((row) => row.permission === permission).map(({ name }) => name)
        : // Names are trimmed, except those of tools that begin or end with a space.
          names?.map((name) => (before.has(name) || tools.has(name) ? name : name.trim())),
    )
  const blocked = listOf('block', block_tools)
  const allowed = listOf('allow', allow_tools)
  for (const name of blocked) {
    if (!allowed.delete(name) || allow_tools === undefined) continue
    if (block_tools === undefined) throw isBlocked(name)
    throw new AppError('invalid_request', `The tool "${name}" cannot be allowed and blocked at once.`)
  }
  const decided = [...allowed, ...blocked].map((name, position) => ({
    name,
    permission: blocked.has(name) ? ('block' as const) : ('allow' as const),
    position,
  }))
  for (const name of allowed) {
    // A form repeats what was allowed before the operator has limited it, which allows nothing any more.
    if (before.get(name)?.permission !== 'allow') requireAllowable(ceilings, connector, name)
  }
  const isKept = ({ name, permission }: DecidedTool) => {
    const earlier = before.get(name)
    return earlier?.permission === permission && earlier.fingerprint !== null
  }
  await keepPermissions(trx, connector, decided.filter(isKept))
  await insertPermissions(
    trx,
    connector,
    decided.filter((tool) => !isKept(tool)),
    now(),
  )
}

function conflict(message: string): AppError {
  return new AppError('conflict', message)
}

/** Tells the user that a tool is blocked, and how to unblock it. */
export function isBlocked(name: string): AppError {
  return conflict(`The tool "${name}" is blocked. Unblock it in Configure Tools first.`)
}
