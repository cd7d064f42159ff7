import { apiTypeOf, findBotFacts, type BotFactsDeps } from './bots/bot-model.ts'
import type { BotRow } from './db/tables/tables.ts'
import type { Taker } from './files/plan-files.ts'
import { mediaLimitsOf } from './models/media-limits.ts'

/** What the model of a bot takes: as the bot says, else as is known of the model, within the limits of its provider. */
export async function findTaker(deps: BotFactsDeps, bot: BotRow): Promise<Taker> {
  const { inputs, contextWindow } = await findBotFacts(deps, bot)
  const address = bot.base_url ?? deps.config.defaultModel?.baseUrl ?? null
  return {
    model: bot.model,
    ...inputs,
    contextWindow: bot.context_window ?? contextWindow,
    limits: mediaLimitsOf(apiTypeOf(bot), address),
  }
}
