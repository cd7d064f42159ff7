import type { Db } from '../db/database.ts'
import { prepareQuery } from '../db/dialects/prepare-query.ts'
import type { BotRow } from '../db/tables/tables.ts'
import type { User } from '../identity/user.ts'
import { AppError } from '../lib/app-error.ts'

type Owner = Pick<User, 'id'>

/**
 * The changeable fields of a bot. Address and key are always written together, because a key belongs to its address.
 */
export type BotChange = Omit<BotRow, 'id' | 'user_id' | 'created_at'>

/** A user's bots, oldest first. */
export function listBots(db: Db, user: Owner): Promise<BotRow[]> {
  return db
    .selectFrom('bots')
    .selectAll()
    .where('user_id', '=', user.id)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function countBots(db: Db, user: Owner): Promise<number> {
  const { count } = await db
    .selectFrom('bots')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('user_id', '=', user.id)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/**
 * The creation time of a new bot, in milliseconds since 1970: `now`, or the millisecond after the user's newest bot
 * when that is later. It keeps bots that are created within one millisecond in order.
 */
export async function nextCreationTime(db: Db, user: Owner, now: number): Promise<number> {
  const { newest } = await db
    .selectFrom('bots')
    .select(({ fn }) => fn.max<number | null>('created_at').as('newest'))
    .where('user_id', '=', user.id)
    .executeTakeFirstOrThrow()
  return Math.max(now, (newest ?? 0) + 1)
}

const botQuery = prepareQuery((db, bot: { readonly userId: string; readonly name: string }) =>
  db.selectFrom('bots').selectAll().where('user_id', '=', bot.userId).where('name', '=', bot.name).compile(),
)

export async function findBot(db: Db, user: Owner, name: string): Promise<BotRow | undefined> {
  return (await botQuery(db, { userId: user.id, name })).rows[0]
}

/**
 * A user's bot by its name.
 * @throws AppError `not_found`
 */
export async function requireBot(db: Db, user: Owner, name: string): Promise<BotRow> {
  const bot = await findBot(db, user, name)
  if (bot === undefined) throw unknownBot(name)
  return bot
}

/** Rejects with the database's unique violation when this user already has a bot of that name. */
export async function insertBot(db: Db, bot: BotRow): Promise<void> {
  await db.insertInto('bots').values(bot).execute()
}

/** Rejects with the database's unique violation when another bot of this user has the name. */
export async function updateBot(db: Db, user: Owner, id: BotRow['id'], change: BotChange): Promise<void> {
  await db.updateTable('bots').set(change).where('user_id', '=', user.id).where('id', '=', id).execute()
}

const botConnectorsQuery = prepareQuery((db, bot: { readonly userId: string; readonly id: string }) =>
  db
    .selectFrom('bots')
    .select('connectors')
    .where('user_id', '=', bot.userId)
    .where('id', '=', bot.id)
    .compile(),
)

export async function findBotConnectors(
  db: Db,
  user: Owner,
  id: BotRow['id'],
): Promise<Pick<BotRow, 'connectors'> | undefined> {
  return (await botConnectorsQuery(db, { userId: user.id, id })).rows[0]
}

export async function updateBotConnectors(
  db: Db,
  user: Owner,
  id: BotRow['id'],
  connectors: string,
): Promise<void> {
  await db
    .updateTable('bots')
    .set({ connectors })
    .where('user_id', '=', user.id)
    .where('id', '=', id)
    .execute()
}

/** @throws AppError `not_found` */
export async function deleteBot(db: Db, user: Owner, name: string): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('bots')
    .where('user_id', '=', user.id)
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw unknownBot(name)
}

function unknownBot(name: string): AppError {
  return new AppError('not_found', `You have no bot named "${name}".`)
}
