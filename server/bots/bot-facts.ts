import type { Config } from '../config/config.ts'
import type { BotRow } from '../db/tables/tables.ts'
import type { ListedModels } from '../models/catalogue/listed-models.ts'
import { findModelFacts } from '../models/catalogue/model-facts.ts'
import type { ModelFacts } from '../models/catalogue/package-facts.ts'
import { apiTypeOf } from './bot-model.ts'

export interface BotFactsDeps {
  readonly config: Pick<Config, 'defaultModel' | 'modelPrices'>
  readonly listedModels: Pick<ListedModels, 'find'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** What is known about a bot's model, or about another model that its provider has called instead. */
export function findBotFacts(
  { config, listedModels, now }: BotFactsDeps,
  bot: Pick<BotRow, 'model' | 'base_url' | 'api_type' | 'custom_api_path'>,
  model = bot.model,
): Promise<ModelFacts> {
  const address = bot.base_url ?? config.defaultModel?.baseUrl ?? null
  const list = { apiType: apiTypeOf(bot), baseUrl: address ?? '', customApiPath: bot.custom_api_path }
  const listedWindow = listedModels.find(list, model)?.contextWindow
  return findModelFacts(config, { model, address, time: now(), listedWindow })
}
