import { sql, type SqlBool } from 'kysely'
import { type Actor, changeable, ofUser, readable } from '../access/access.ts'
import type { Db } from '../db/database.ts'
import { prepareQuery } from '../db/dialects/prepare-query.ts'
import type { BotRow } from '../db/tables/tables.ts'
import { AppError } from '../lib/app-error.ts'

/**
 * The changeable fields of a bot. Address and key are always written together, because a key belongs to its address.
 */
export type BotChange = Omit<BotRow, 'id' | 'user_id' | 'is_default' | 'created_at'>

/** A user's bots, oldest first. */
export function listBots(db: Db, actor: Actor): Promise<BotRow[]> {
  return selectOwn(db, actor).execute()
}

/** Bots of one page: their instructions can have 150 kB each. */
export const maxPageBots = 20

/** The next bots of a user after this one, oldest first. */
export function listBotPage(
  db: Db,
  actor: Actor,
  { created_at, id }: Pick<BotRow, 'created_at' | 'id'> = { created_at: -1, id: '' },
): Promise<BotRow[]> {
  return selectOwn(db, actor)
    .where(sql<SqlBool>`(created_at, id) > (${created_at}, ${id})`)
    .limit(maxPageBots)
    .execute()
}

function selectOwn(db: Db, actor: Actor) {
  return db.selectFrom('bots').selectAll().where(readable(actor, 'bots')).orderBy('created_at').orderBy('id')
}

export async function countBots(db: Db, actor: Actor): Promise<number> {
  const { count } = await db
    .selectFrom('bots')
    .select(({ fn }) => fn.countAll().as('count'))
    .where(ofUser(actor.id, 'bots'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/**
 * The creation time of a new bot, in milliseconds since 1970: `now`, or the millisecond after the user's newest bot
 * when that is later. It keeps bots that are created within one millisecond in order.
 */
export async function nextCreationTime(db: Db, actor: Actor, now: number): Promise<number> {
  const { newest } = await db
    .selectFrom('bots')
    .select(({ fn }) => fn.max<number | null>('created_at').as('newest'))
    .where(ofUser(actor.id, 'bots'))
    .executeTakeFirstOrThrow()
  return Math.max(now, (newest ?? 0) + 1)
}

const botQuery = prepareQuery((db, bot: { readonly actor: Actor; readonly name: string }) =>
  db.selectFrom('bots').selectAll().where(readable(bot.actor, 'bots')).where('name', '=', bot.name).compile(),
)

export async function findBot(db: Db, actor: Actor, name: string): Promise<BotRow | undefined> {
  return (await botQuery(db, { actor, name })).rows[0]
}

/**
 * A user's bot by its name.
 * @throws AppError `not_found`
 */
export async function requireBot(db: Db, actor: Actor, name: string): Promise<BotRow> {
  const bot = await findBot(db, actor, name)
  if (bot === undefined) throw unknownBot(name)
  return bot
}

/** Rejects with the database's unique violation when this user already has a bot of that name. */
export async function insertBot(db: Db, bot: BotRow): Promise<void> {
  await db.insertInto('bots').values(bot).execute()
}

/** Rejects with the database's unique violation when another bot of this user has the name. */
export async function updateBot(
  db: Db,
  actor: Actor,
  id: BotRow['id'],
  change: BotChange & Pick<BotRow, 'is_default'>,
): Promise<void> {
  await db.updateTable('bots').set(change).where(changeable(actor, 'bots')).where('id', '=', id).execute()
}

const botConnectorsQuery = prepareQuery((db, bot: { readonly actor: Actor; readonly id: string }) =>
  db
    .selectFrom('bots')
    .select('connectors')
    .where(readable(bot.actor, 'bots'))
    .where('id', '=', bot.id)
    .compile(),
)

export async function findBotConnectors(
  db: Db,
  actor: Actor,
  id: BotRow['id'],
): Promise<Pick<BotRow, 'connectors'> | undefined> {
  return (await botConnectorsQuery(db, { actor, id })).rows[0]
}

/** @throws AppError `not_found` */
export async function deleteBot(db: Db, actor: Actor, name: string): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('bots')
    .where(changeable(actor, 'bots'))
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw unknownBot(name)
}

function unknownBot(name: string): AppError {
  return new AppError('not_found', `You have no bot named "${name}".`)
}
