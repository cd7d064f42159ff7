import type { Grant, GrantInput, RevokeQuery } from '@yonder/contract/grant'
import type { z } from 'zod'
import { type Actor, ownedBy } from '../../access/access.ts'
import type { Db } from '../../db/database.ts'
import type { ConnectorRow, ConnectorToolRow, ToolGrantRow } from '../../db/tables/connector-tables.ts'
import { lockUser } from '../../identity/users/user-store.ts'
import { AppError } from '../../lib/app-error.ts'
import { isObject } from '../../lib/json-object.ts'
import { newId } from '../../lib/new-id.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { requireConnector } from '../connector-store.ts'
import {
  isBlocked,
  requireAllowable,
  requireSameCredential,
  requireSeenTool,
} from '../tools/change-permissions.ts'
import {
  countGrants,
  deleteAllowed,
  deleteEndedGrants,
  deleteGrants,
  deleteListed,
  findEqualGrant,
  findGrantedBot,
  insertGrant,
  listGrants,
  readChatTitles,
  renewGrant,
  writeRule,
} from '../tools/grant-store.ts'
import { findPermission } from '../tools/permission-store.ts'
import { parseDefinition } from '../tools/tool-store.ts'
import { readListedId } from './grant-id.ts'
import { presentGrant } from './list-grants.ts'

type Deps = Pick<ConnectorDeps, 'database' | 'builtIns' | 'settings' | 'now'>

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** How long a grant is listed after its end, in milliseconds. */
const maxEndedMs = 90 * dayMs

/**
 * Allows a tool with limits, or lets an equal grant begin anew.
 * @throws AppError `not_found`, `invalid_request`, `conflict`
 */
export async function createGrant(deps: Deps, user: Actor, input: GrantInput): Promise<Grant> {
  requireLimit(deps, input)
  const { connector, id } = await deps.database.db.transaction().execute(async (trx) => {
    // Waits for a change of the connector, of its lists, and of other grants.
    await lockUser(trx, user)
    await deleteEndedGrants(trx, user, deps.now() - maxEndedMs)
    const found = await requireConnector(trx, user, input.server)
    return { connector: found, id: await storeGrant(trx, deps, user, found, input) }
  })
  const [row] = await listGrants(deps.database.db, user, connector, { id })
  // It was revoked, or its connector deleted, in this moment.
  if (row === undefined) throw new AppError('conflict', 'The permission was taken back at the same time.')
  return presentGrant(deps, connector, row)
}

function requireLimit({ settings: { ceilings } }: Deps, { bot, chatId, minutes, rule }: GrantInput): void {
  if (bot === undefined && chatId === undefined && minutes === undefined && rule === undefined) {
    throw new AppError(
      'invalid_request',
      'A permission with limits needs at least one: bot, chatId, minutes, or rule.',
    )
  }
  const { maxGrantHours } = ceilings
  if (maxGrantHours === null || minutes === undefined || minutes <= maxGrantHours * 60) return
  throw new AppError(
    'invalid_request',
    `The operator of this server lets a permission last for ${maxGrantHours} ${maxGrantHours === 1 ? 'hour' : 'hours'} at most (minutes: ${Math.floor(maxGrantHours * 60)}). Choose a shorter time, or allow the call once.`,
  )
}

async function storeGrant(
  trx: Db,
  { settings, now }: Deps,
  user: Actor,
  connector: ConnectorRow,
  input: GrantInput,
): Promise<string> {
  const limits = {
    bot_id: await requireBotId(trx, user, input.bot),
    chat_id: await requireChatId(trx, user, input.chatId),
  }
  requireSameCredential(connector, input.credential)
  if (connector.asks === 0) {
    throw conflict(`Every tool of "${connector.name}" runs without asking, so there is nothing to allow.`)
  }
  requireAllowable(settings.ceilings, connector, input.tool)
  const tool = await requireSeenTool(trx, connector, input.tool, input.fingerprint)
  const permission = await findPermission(trx, connector, tool.name)
  if (permission?.permission === 'block') throw isBlocked(tool.name)
  requireRuleFits(tool, input.rule)
  const scope = {
    connector_id: connector.id,
    name: tool.name,
    ...limits,
    rule: writeRule(input.rule),
  }
  const created_at = now()
  const renewed = {
    fingerprint: tool.fingerprint,
    definition: tool.definition,
    ends_at: input.minutes === undefined ? null : created_at + input.minutes * minuteMs,
    created_at,
  }
  const equal = await findEqualGrant(trx, user, { ...scope, ends: renewed.ends_at !== null })
  if (equal !== undefined) {
    await renewGrant(trx, user, equal, renewed)
    return equal
  }
  const { maxGrantsPerUser } = settings.limits
  if ((await countGrants(trx, user)) >= maxGrantsPerUser) {
    throw conflict(
      `You have reached the limit of ${maxGrantsPerUser} permissions with limits. Take some back under Settings, Permissions.`,
    )
  }
  const grant: ToolGrantRow = { id: newId(), ...ownedBy(user), ...scope, ...renewed, used_at: null, uses: 0 }
  await insertGrant(trx, grant)
  return grant.id
}

/**
 * Checks that a call of the tool can meet a rule, as far as its definition says what its arguments are.
 * @throws AppError `invalid_request`
 */
function requireRuleFits({ name, definition }: ConnectorToolRow, rule: GrantInput['rule']): void {
  if (rule === undefined) return
  const { inputSchema } = parseDefinition(definition)
  const { properties } = inputSchema
  // Further arguments may be described in other ways.
  const isDescribedHere =
    isObject(properties) &&
    !['$ref', 'allOf', 'anyOf', 'oneOf', 'patternProperties', 'additionalProperties'].some(
      (keyword) => inputSchema[keyword] !== undefined && inputSchema[keyword] !== false,
    )
  if (!isObject(properties) || !Object.hasOwn(properties, rule.argument)) {
    if (!isDescribedHere) return
    throw new AppError('invalid_request', `rule: the tool "${name}" has no argument "${rule.argument}"`)
  }
  const argument = properties[rule.argument]
  const { type } = isObject(argument) ? argument : {}
  if (type === undefined || [type].flat().includes('string')) return
  throw new AppError(
    'invalid_request',
    `rule: the argument "${rule.argument}" of the tool "${name}" is not a text`,
  )
}

async function requireBotId(trx: Db, user: Actor, name: string | undefined): Promise<string | null> {
  if (name === undefined) return null
  const id = await findGrantedBot(trx, user, name)
  if (id === undefined) throw new AppError('not_found', `You have no bot named "${name}".`)
  return id
}

async function requireChatId(trx: Db, user: Actor, id: string | undefined): Promise<string | null> {
  if (id === undefined) return null
  if (!(await readChatTitles(trx, user, [id])).has(id))
    throw new AppError('not_found', 'There is no such chat. Start a new one.')
  return id
}

/**
 * Takes back a grant with limits, or takes a tool off the list of allowed or of blocked ones.
 * @throws AppError `not_found`
 */
export function revokeGrant({ database: { db } }: Deps, user: Actor, id: string): Promise<void> {
  return db.transaction().execute(async (trx) => {
    await lockUser(trx, user)
    const listed = readListedId(id)
    const isDone =
      listed === undefined
        ? (await deleteGrants(trx, user, { id })) > 0
        : await deleteListed(trx, user, listed)
    if (!isDone) throw new AppError('not_found', 'There is no such permission. It may be taken back already.')
  })
}

/**
 * Takes back everything that is allowed, by lists and with limits, of one connector or of all. What is blocked stays
 * blocked, and a connector without a list keeps running every tool. Returns how many were taken back.
 * @throws AppError `not_found`
 */
export function revokeAllGrants(
  { database: { db }, now }: Deps,
  user: Actor,
  { server }: z.infer<typeof RevokeQuery>,
): Promise<number> {
  return db.transaction().execute(async (trx) => {
    await lockUser(trx, user)
    await deleteEndedGrants(trx, user, now() - maxEndedMs)
    const connector = server === undefined ? undefined : await requireConnector(trx, user, server)
    const limited = await deleteGrants(
      trx,
      user,
      connector === undefined ? {} : { connector_id: connector.id },
    )
    return limited + (await deleteAllowed(trx, user, connector?.id))
  })
}

function conflict(message: string): AppError {
  return new AppError('conflict', message)
}
