import type { GrantLimits } from '@yonder/contract/tool-call'
import { sql } from 'kysely'
import { type Actor, changeable, ofUser, readable } from '../../access/access.ts'
import type { Db } from '../../db/database.ts'
import type { ConnectorRow, ToolGrantRow } from '../../db/tables/connector-tables.ts'

type Connector = Pick<ConnectorRow, 'id'>

/** A grant with limits, without the definition, which can have 100 kB; with the name of its bot, unless that is gone. */
export interface GrantVersion extends Omit<ToolGrantRow, 'definition'> {
  readonly bot: string | null
}

/** Returns the grants of a connector's tools, or of one tool, the newest first. */
export function listGrants(
  db: Db,
  actor: Actor,
  { id }: Connector,
  which: Partial<Pick<ToolGrantRow, 'id' | 'name'>> = {},
): Promise<GrantVersion[]> {
  const grants = db
    .selectFrom('tool_grants as g')
    .leftJoin('bots as b', (join) => join.onRef('b.id', '=', 'g.bot_id').on(readable(actor, 'bots as b')))
    .select(['g.id', 'g.user_id', 'g.connector_id', 'g.name', 'g.fingerprint', 'g.bot_id', 'g.chat_id'])
    .select(['g.ends_at', 'g.rule', 'g.created_at', 'g.used_at', 'g.uses', 'b.name as bot'])
    .where(readable(actor, 'tool_grants as g'))
    .where('g.connector_id', '=', id)
  const ofTool = which.name === undefined ? grants : grants.where('g.name', '=', which.name)
  const chosen = which.id === undefined ? ofTool : ofTool.where('g.id', '=', which.id)
  return chosen.orderBy('g.created_at', 'desc').orderBy('g.id').execute()
}

/** Returns the definition of a tool that a grant allows. */
export async function findGrantDefinition(db: Db, actor: Actor, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('tool_grants')
    .select('definition')
    .where(readable(actor, 'tool_grants'))
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.definition
}

/** Counts the grants of a user. */
export async function countGrants(trx: Db, actor: Actor): Promise<number> {
  const { count } = await trx
    .selectFrom('tool_grants')
    .select(({ fn }) => fn.countAll().as('count'))
    .where(ofUser(actor.id, 'tool_grants'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Of two grants with the same limits, only the times may differ. */
type GrantScope = Pick<ToolGrantRow, 'connector_id' | 'name' | 'bot_id' | 'chat_id' | 'rule'> & {
  readonly ends: boolean
}

/** Returns the id of a user's grant with these limits. */
export async function findEqualGrant(
  trx: Db,
  actor: Actor,
  { connector_id, name, bot_id, chat_id, rule, ends }: GrantScope,
): Promise<string | undefined> {
  const row = await trx
    .selectFrom('tool_grants')
    .select('id')
    .where(changeable(actor, 'tool_grants'))
    .where('connector_id', '=', connector_id)
    .where('name', '=', name)
    .where('bot_id', bot_id === null ? 'is' : '=', bot_id)
    .where('chat_id', chat_id === null ? 'is' : '=', chat_id)
    .where('rule', rule === null ? 'is' : '=', rule)
    .where('ends_at', ends ? 'is not' : 'is', null)
    .executeTakeFirst()
  return row?.id
}

export async function insertGrant(trx: Db, grant: ToolGrantRow): Promise<void> {
  await trx.insertInto('tool_grants').values(grant).execute()
}

/** Lets a grant begin anew, with the version of the tool that the user has seen now. */
export async function renewGrant(
  trx: Db,
  actor: Actor,
  id: string,
  renewed: Pick<ToolGrantRow, 'fingerprint' | 'definition' | 'ends_at' | 'created_at'>,
): Promise<void> {
  await trx
    .updateTable('tool_grants')
    .set(renewed)
    .where(changeable(actor, 'tool_grants'))
    .where('id', '=', id)
    .execute()
}

/** Deletes the grants of a user, or those of one connector, or one of them. Returns how many. */
export async function deleteGrants(
  trx: Db,
  actor: Actor,
  which: Partial<Pick<ToolGrantRow, 'connector_id' | 'id'>> = {},
): Promise<number> {
  const { numDeletedRows } = await trx
    .deleteFrom('tool_grants')
    .where(changeable(actor, 'tool_grants'))
    .where((eb) => eb.and(which))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Deletes the grants of a user that ended before a time, in milliseconds since 1970. */
export async function deleteEndedGrants(trx: Db, actor: Actor, before: number): Promise<void> {
  await trx
    .deleteFrom('tool_grants')
    .where(ofUser(actor.id, 'tool_grants'))
    .where('ends_at', '<', before)
    .execute()
}

/**
 * Takes back what is allowed by the lists of the actor's connectors, or of one of them. A connector without a list has
 * none. Returns how many tools.
 */
export async function deleteAllowed(trx: Db, actor: Actor, connectorId?: string): Promise<number> {
  const own = trx.selectFrom('connectors').select('id').where(changeable(actor, 'connectors'))
  const { numDeletedRows } = await trx
    .deleteFrom('tool_permissions')
    .where('permission', '=', 'allow')
    .where('connector_id', 'in', connectorId === undefined ? own : own.where('id', '=', connectorId))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Takes a tool off the list that it is on. Returns false when it is on none. */
export async function deleteListed(
  trx: Db,
  actor: Actor,
  { connectorId, tool }: { readonly connectorId: string; readonly tool: string },
): Promise<boolean> {
  const own = trx.selectFrom('connectors').select('id').where(changeable(actor, 'connectors'))
  const { numDeletedRows } = await trx
    .deleteFrom('tool_permissions')
    .where('name', '=', tool)
    .where('connector_id', 'in', own.where('id', '=', connectorId))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** What has allowed a call: the list of its connector, or a grant. */
type AllowedBy =
  | { readonly kind: 'listed'; readonly connectorId: string; readonly tool: string }
  | { readonly kind: 'granted'; readonly id: string }

/** Counts a call, at a time in milliseconds since 1970. Does nothing when the allowance was taken back meanwhile. */
export async function countUse(trx: Db, actor: Actor, by: AllowedBy, usedAt: number): Promise<void> {
  const used = { used_at: usedAt, uses: sql<number>`uses + 1` }
  if (by.kind === 'granted') {
    await trx
      .updateTable('tool_grants')
      .set(used)
      .where(changeable(actor, 'tool_grants'))
      .where('id', '=', by.id)
      .execute()
    return
  }
  await trx
    .updateTable('tool_permissions')
    .set(used)
    .where('connector_id', '=', by.connectorId)
    .where('name', '=', by.tool)
    .where('permission', '=', 'allow')
    .execute()
}

/** Returns the id of a bot that a grant may be for. */
export async function findGrantedBot(trx: Db, actor: Actor, name: string): Promise<string | undefined> {
  const bot = await trx
    .selectFrom('bots')
    .select('id')
    .where(readable(actor, 'bots'))
    .where('name', '=', name)
    .executeTakeFirst()
  return bot?.id
}

/** Returns the titles of those of these chats that the actor can read, by id. A new chat may have none. */
export async function readChatTitles(
  db: Db,
  actor: Actor,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('chats')
    .select(['id', 'title'])
    .where(readable(actor, 'chats'))
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, title }) => [id, title]))
}

/** Writes a rule as it is stored: equal rules have equal texts. */
export function writeRule(rule: GrantLimits['rule']): string | null {
  return rule === undefined
    ? null
    : JSON.stringify({ argument: rule.argument, test: rule.test, value: rule.value })
}

/** Reads a stored rule. It was checked before it was stored. */
export function readRule(stored: string | null): GrantLimits['rule'] {
  return stored === null ? undefined : (JSON.parse(stored) as GrantLimits['rule'])
}
