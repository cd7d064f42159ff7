import { apiTypes } from '@yonder/contract/bot'
import type { Bot } from '@yonder/contract/bot'
import { maskSecret } from '../db/secrets/mask-secret.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { BotRow } from '../db/tables/tables.ts'

/** A bot as its owner reads it: of the key only the mask. */
export function presentBot(bot: BotRow, sealer: Sealer): Bot {
  return {
    name: bot.name,
    model: bot.model,
    base_url: bot.base_url,
    api_key: maskSecret(sealer, bot.api_key),
    api_type: apiTypes.find((type) => type === bot.api_type) ?? null,
    custom_api_path: bot.custom_api_path,
    max_tokens: bot.max_tokens,
  }
}
