import type { BotInput } from '@yonder/contract/bot'
import type { Db } from '../db/database.ts'
import { newId } from '../lib/new-id.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { BotRow } from '../db/tables/tables.ts'
import type { User } from '../identity/user.ts'
import { insertBot, timeNewBot } from './bot-store.ts'
import { emptyBot, fillBot } from './fill-bot.ts'

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
