import type { ToolPermission } from '@yonder/contract/connector'
import { sql } from 'kysely'
import { type Actor, readable } from '../../access/access.ts'
import type { Db } from '../../db/database.ts'
import { prepareQuery } from '../../db/dialects/prepare-query.ts'
import type { ConnectorRow, ToolPermissionRow } from '../../db/tables/connector-tables.ts'
import type { OperatorCeilings } from './operator-ceilings.ts'

type Connector = Pick<ConnectorRow, 'id'>

/** A decision without the definition that was decided about; its `fingerprint` is null when there was none. */
export type PermissionVersion = Omit<ToolPermissionRow, 'definition'>

/**
 * Returns what the user has decided about the tools of these connectors, in the order of the lists. The definitions,
 * which can have megabytes, are not read.
 */
export function listPermissions(db: Db, connectorIds: readonly string[]): Promise<PermissionVersion[]> {
  if (connectorIds.length === 0) return Promise.resolve([])
  return db
    .selectFrom('tool_permissions')
    .select(['connector_id', 'name', 'permission', 'position', 'created_at', 'used_at', 'uses'])
    .select(({ eb }) =>
      eb.case().when('definition', 'is not', null).then(eb.ref('fingerprint')).end().as('fingerprint'),
    )
    .where('connector_id', 'in', connectorIds)
    .orderBy('position')
    .orderBy('name')
    .execute()
}

export function findPermission(
  db: Db,
  { id }: Connector,
  name: string,
): Promise<ToolPermissionRow | undefined> {
  return db
    .selectFrom('tool_permissions')
    .selectAll()
    .where('connector_id', '=', id)
    .where('name', '=', name)
    .executeTakeFirst()
}

type BlockableConnector = Pick<ConnectorRow, 'id' | 'is_default' | 'url'>
export type IsBlocked = (connector: BlockableConnector, toolName: string) => boolean

const blockedQuery = prepareQuery((db, user: { readonly actor: Actor }) =>
  db
    .selectFrom('tool_permissions')
    .innerJoin('connectors', 'connectors.id', 'tool_permissions.connector_id')
    .select(['tool_permissions.connector_id', 'tool_permissions.name'])
    .where(readable(user.actor, 'connectors'))
    .where('tool_permissions.permission', '=', 'block')
    .compile(),
)

/** Returns a function that says whether the actor or the operator has blocked a tool. */
export async function readBlockedTools(
  db: Db,
  actor: Actor,
  ceilings: Pick<OperatorCeilings, 'ruleOf'>,
): Promise<IsBlocked> {
  const { rows } = await blockedQuery(db, { actor })
  const blocked = new Set(rows.map(({ connector_id, name }) => `${connector_id} ${name}`))
  return (connector, toolName) =>
    blocked.has(`${connector.id} ${toolName}`) || ceilings.ruleOf(connector, toolName) === 'blocked'
}

/**
 * Allows or blocks a tool that a connector has, in one statement, so that changes of other tools are kept. Returns false,
 * without a change, when the connector has no such tool, the tool has another fingerprint, or it is blocked and would
 * only be allowed with `unblock`. `now` is in milliseconds since 1970.
 */
export async function storePermission(
  db: Db,
  { id }: Connector,
  { name, permission, fingerprint, unblock }: ToolPermission,
  now: number,
): Promise<boolean> {
  const kept = permission === 'allow' && unblock !== true ? 'block' : ''
  const { numAffectedRows } = await sql`
    insert into tool_permissions (connector_id, name, permission, position, fingerprint, definition, created_at)
    select connector_id, name, ${permission},
      (select coalesce(max(position), -1) + 1 from tool_permissions where connector_id = ${id}),
      fingerprint, definition, cast(${now} as bigint)
    from connector_tools
    where connector_id = ${id} and name = ${name} and fingerprint = coalesce(${fingerprint ?? null}, fingerprint)
    on conflict (connector_id, name) do update
    set permission = excluded.permission, fingerprint = excluded.fingerprint, definition = excluded.definition,
      created_at = excluded.created_at
    where tool_permissions.permission <> ${kept}`.execute(db)
  return numAffectedRows === 1n
}

/**
 * Completes the permissions of tools that were allowed by name before they were read: the version that is stored now is
 * the one that is allowed. An unusable tool is not one yet.
 */
export async function completeAllowed(trx: Db, { id }: Connector): Promise<void> {
  await sql`
    update tool_permissions
    set (fingerprint, definition) = (
      select fingerprint, definition from connector_tools
      where connector_id = ${id} and name = tool_permissions.name)
    where connector_id = ${id} and permission = 'allow' and fingerprint is null and exists (
      select 1 from connector_tools
      where connector_id = ${id} and name = tool_permissions.name and problem is null)`.execute(trx)
}

/** Deletes the permissions of a connector's tools, or only those that `which` describes. */
export async function deletePermissions(
  db: Db,
  { id }: Connector,
  which: Partial<Pick<ToolPermissionRow, 'name' | 'permission'>> = {},
): Promise<void> {
  await db
    .deleteFrom('tool_permissions')
    .where((eb) => eb.and({ connector_id: id, ...which }))
    .execute()
}

/** A place on the list of allowed or of blocked tools. */
export type DecidedTool = Pick<ToolPermissionRow, 'name' | 'permission' | 'position'>

/** Keeps only these permissions of a connector, at these positions. */
export async function keepPermissions(
  trx: Db,
  { id }: Connector,
  kept: readonly DecidedTool[],
): Promise<void> {
  const names = kept.map(({ name }) => name)
  const others = trx.deleteFrom('tool_permissions').where('connector_id', '=', id)
  await (names.length === 0 ? others : others.where('name', 'not in', names)).execute()
  if (names.length === 0) return
  await sql`
    update tool_permissions set position = listed.position from ${valuesOf(kept)} as listed
    where connector_id = ${id} and tool_permissions.name = listed.name`.execute(trx)
}

/**
 * Inserts permissions with the versions of the tools that are stored now, except those of tools that have got one
 * meanwhile. The database copies the definitions, which can have megabytes.
 */
export async function insertPermissions(
  trx: Db,
  { id }: Connector,
  decided: readonly DecidedTool[],
  now: number,
): Promise<void> {
  if (decided.length === 0) return
  await sql`
    insert into tool_permissions (connector_id, name, permission, position, fingerprint, definition, created_at)
    select ${id}, listed.name, listed.permission, listed.position, tool.fingerprint, tool.definition,
      cast(${now} as bigint)
    from ${valuesOf(decided)} as listed
    left join connector_tools as tool on tool.connector_id = ${id} and tool.name = listed.name
    where true on conflict do nothing`.execute(trx)
}

/** The SQL of a table with these rows. */
function valuesOf(decided: readonly DecidedTool[]) {
  const rows = decided.map(
    ({ name, permission, position }) =>
      sql`(cast(${name} as text), cast(${permission} as text), cast(${position} as integer))`,
  )
  return sql`(select column1 as name, column2 as permission, column3 as position from (values ${sql.join(rows)}) as v)`
}
