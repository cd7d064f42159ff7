import type { BotInput } from '@yonder/contract/bot'
import type { Db, Database } from '../db/database.ts'
import { newId } from '../lib/new-id.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { BotRow } from '../db/tables/tables.ts'
import type { User } from '../identity/user.ts'
import { insertBot, timeNewBot, requireBot, updateBot } from './bot-store.ts'
import { emptyBot, fillBot } from './bot-fields.ts'
import type { Dialect } from '../db/dialects/dialect.ts'
import { AppError } from '../lib/app-error.ts'

/** Makes a bot for a person. Fails on a name that their bots have already; `now` is milliseconds since 1970. */
export async function createBot(
  db: Db,
  sealer: Sealer,
  user: Pick<User, 'id'>,
  input: BotInput,
  now: number,
): Promise<BotRow> {
  const created_at = await timeNewBot(db, user, now)
  const bot = { id: newId(), user_id: user.id, created_at, ...fillBot(sealer, emptyBot, input) }
  await insertBot(db, bot)
  return bot
}

/**
 * Changes a person's bot, its name too.
 * @throws AppError `not_found`, `name_taken`, `invalid_request`
 */
export async function changeBot(
  { db, dialect }: Database,
  sealer: Sealer,
  user: User,
  name: string,
  input: BotInput,
): Promise<BotRow> {
  return refuseTakenName(dialect, input.name, () =>
    db.transaction().execute(async (trx) => {
      const bot = await requireBot(trx, user, name)
      const change = fillBot(sealer, bot, input)
      await updateBot(trx, user, bot.id, change)
      return { ...bot, ...change }
    }),
  )
}

/**
 * Runs a write whose only unique column besides the id is the bot's name; the database decides, so a race is decided too.
 * @throws AppError `name_taken`
 */
export async function refuseTakenName<Result>(
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
