import { type Actor, ownedBy } from '../access/access.ts'
import type { Db, Database } from '../db/database.ts'
import { refuseTakenName } from '../db/refuse-taken-name.ts'
import type { BotRow } from '../db/tables/tables.ts'
import type { User } from '../identity/user.ts'
import { lockUser } from '../identity/users/user-store.ts'
import { AppError } from '../lib/app-error.ts'
import { newId } from '../lib/new-id.ts'
import { emptyBot, applyBotInput, type BotSecretDeps, type BotValues } from './bot-fields.ts'
import { type BotChange, countBots, insertBot, nextCreationTime, requireBot, updateBot } from './bot-store.ts'

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
  return refuseTakenName(dialect, takenMessage(input.name), () =>
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
 * Creates a bot, without a limit. `isDefault`: as a copy of a default bot. `now` is in milliseconds since 1970. Rejects when this user already has a bot of that
 * name.
 */
export async function createBot(
  db: Db,
  deps: BotSecretDeps,
  user: Actor,
  input: BotValues,
  now: number,
  isDefault = false,
): Promise<BotRow> {
  const created_at = await nextCreationTime(db, user, now)
  const owned = { id: newId(), ...ownedBy(user) }
  const values = applyBotInput(deps, { ...owned, ...emptyBot }, input)
  const bot = { ...owned, created_at, is_default: isDefault ? 1 : 0, ...values }
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
  return refuseTakenName(dialect, takenMessage(input.name), () =>
    db.transaction().execute(async (trx) => {
      // The later one of two simultaneous changes keeps the fields that only the other one changes.
      await lockUser(trx, user)
      const bot = await requireBot(trx, user, name)
      const change = applyBotInput(deps, bot, input)
      const changed = { ...bot, ...change, is_default: isChange(bot, change) ? 0 : bot.is_default }
      await updateBot(trx, user, bot.id, { ...change, is_default: changed.is_default })
      return changed
    }),
  )
}

/** Whether a user has changed anything by saving a bot. */
function isChange(bot: BotRow, change: BotChange): boolean {
  return (Object.keys(change) as (keyof BotChange)[]).some((field) => bot[field] !== change[field])
}

function takenMessage(name: string): string {
  return `You already have a bot named "${name}".`
}
