import type { BotInput } from '@yonder/contract/bot'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/database.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { User } from '../identity/user.ts'
import { createBot } from './save-bot.ts'
import { demoModel } from './bot-endpoint.ts'

const demoBot: BotInput = { name: 'Yonder Demo', model: demoModel }

export interface DefaultBotsDeps {
  readonly config: Pick<Config, 'defaultBots' | 'defaultModel'>
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Gives a person, at their first sign-in, the operator's bots in the operator's order, as ordinary bots of their own. */
export async function insertDefaultBots(
  trx: Db,
  user: Pick<User, 'id'>,
  { config, sealer, now }: DefaultBotsDeps,
): Promise<void> {
  for (const bot of listDefaultBots(config)) await createBot(trx, sealer, user, bot, now())
}

/** Of an operator's provider no model is known but what the operator names; the demo model lives where none is configured. */
function listDefaultBots({ defaultBots, defaultModel }: DefaultBotsDeps['config']): readonly BotInput[] {
  if (defaultBots !== null) return defaultBots
  return defaultModel === null ? [demoBot] : []
}
