import { type Actor, ownedBy } from '../access/access.ts'
import type { Db, Database, Dialect } from '../db/database.ts'
import type { BotRow } from '../db/tables/tables.ts'
import type { User } from '../identity/user.ts'
import { lockUser } from '../identity/users/user-store.ts'
import { AppError } from '../lib/app-error.ts'
import { newId } from '../lib/new-id.ts'
import { emptyBot, applyBotInput, type BotSecretDeps, type BotValues } from './bot-fields.ts'
import { countBots, insertBot, nextCreationTime, requireBot, updateBot } from './bot-store.ts'

/** Bots of a user. Limited because one response lists them all, and each key is decrypted to mask it. */
const maxBots = 200

/**
 * Creates a bot at the request of a user. `now` is in milliseconds since 1970.
 * @throws AppError `conflict` when the user already has `maxBots`, `name_taken`, `invalid_request`
 */
export function addBot(
  { db, dialect }: Database,
  deps: BotSecretDeps,
  user: Actor,
  input: BotValues,
  now: number,
): Promise<BotRow> {
  return refuseTakenName(dialect, input.name, () =>
    db.transaction().execute(async (trx) => {
      await lockUser(trx, user)
      if ((await countBots(trx, user)) >= maxBots) {
        throw new AppError('conflict', `You have ${maxBots} bots. Delete one before you add another.`)
      }
      return createBot(trx, deps, user, input, now)
    }),
  )
}

/**
 * Creates a bot, without a limit. `now` is in milliseconds since 1970. Rejects when this user already has a bot of that
 * name.
 */
export async function createBot(
  db: Db,
  deps: BotSecretDeps,
  user: Actor,
  input: BotValues,
  now: number,
): Promise<BotRow> {
  const created_at = await nextCreationTime(db, user, now)
  const owned = { id: newId(), ...ownedBy(user) }
  const bot = { ...owned, created_at, ...applyBotInput(deps, { ...owned, ...emptyBot }, input) }
  await insertBot(db, bot)
  return bot
}

/**
 * Changes a bot of this user, including its name.
 * @throws AppError `not_found`, `name_taken`, `invalid_request`
 */
export async function changeBot(
  { db, dialect }: Database,
  deps: BotSecretDeps,
  user: User,
  name: string,
  input: BotValues,
): Promise<BotRow> {
  return refuseTakenName(dialect, input.name, () =>
    db.transaction().execute(async (trx) => {
      // The later one of two simultaneous changes keeps the fields that only the other one changes.
      await lockUser(trx, user)
      const bot = await requireBot(trx, user, name)
      const change = applyBotInput(deps, bot, input)
      await updateBot(trx, user, bot.id, change)
      return { ...bot, ...change }
    }),
  )
}

/**
 * Runs a write that may violate the unique name of a user's bots. The database enforces it, also for concurrent
 * requests.
 * @throws AppError `name_taken`
 */
async function refuseTakenName<Result>(
  dialect: Dialect,
  name: string,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!dialect.isUniqueViolation(error)) throw error
    throw new AppError('name_taken', `You already have a bot named "${name}".`, { cause: error })
  }
}
