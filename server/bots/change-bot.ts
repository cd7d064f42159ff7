import type { BotInput } from '@yonder/contract/bot'
import type { Database } from '../db/database.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { BotRow } from '../db/tables/tables.ts'
import type { User } from '../identity/user.ts'
import { requireBot, updateBot } from './bot-store.ts'
import { fillBot } from './fill-bot.ts'
import { refuseTakenName } from './refuse-taken-name.ts'

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
