import type { Config } from '../config/config.ts'
import type { BotRow } from '../db/tables/tables.ts'
import { findModelFacts } from '../models/catalogue/model-facts.ts'
import type { ModelFacts } from '../models/catalogue/package-facts.ts'

export interface BotFactsDeps {
  readonly config: Pick<Config, 'defaultModel' | 'modelPrices'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** What is known about a bot's model, or about another model that its provider has called instead. */
export function findBotFacts(
  { config, now }: BotFactsDeps,
  bot: Pick<BotRow, 'model' | 'base_url'>,
  model = bot.model,
): Promise<ModelFacts> {
  const address = bot.base_url ?? config.defaultModel?.baseUrl ?? null
  return findModelFacts(config, { model, address, time: now() })
}
