import { apiTypes } from '@yonder/contract/bot'
import type { ApiType } from '@yonder/contract/bot'
import type { Config } from '../config/config.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { BotRow } from '../db/tables/tables.ts'
import { AppError } from '../lib/app-error.ts'

/** The name of the model that is built in. */
export const demoModel = 'demo'

/** Where a bot's model is asked, and as whom: the form that `models/` takes. */
export interface BotEndpoint {
  readonly apiType: ApiType
  readonly baseUrl: string
  readonly apiKey: string | null
  readonly customApiPath: string | null
  /** Who named the address. */
  readonly trusted: 'operatorSupplied' | 'userSupplied'
}

export interface Providers {
  /** The operator's provider, for bots without an address of their own. */
  readonly defaultModel: Config['defaultModel']
  /** Where the built-in demo model is served. */
  readonly demoBaseUrl: string
  readonly sealer: Sealer
}

/**
 * Where a bot's model is asked, and with which key. A bot's own key goes wherever the bot goes; the operator's key goes
 * to the operator's address alone.
 * @throws AppError `bot_misconfigured`
 */
export function resolveEndpoint(bot: BotRow, providers: Providers): BotEndpoint {
  const shared = {
    apiType: apiTypeOf(bot),
    customApiPath: bot.custom_api_path,
  }
  const ownKey = openKey(bot, providers.sealer)
  if (bot.base_url !== null)
    return { ...shared, baseUrl: bot.base_url, apiKey: ownKey, trusted: 'userSupplied' }
  refuseClimbing(bot)
  if (providers.defaultModel !== null) {
    const { baseUrl, apiKey } = providers.defaultModel
    return { ...shared, baseUrl, apiKey: ownKey ?? apiKey, trusted: 'operatorSupplied' }
  }
  if (bot.model === demoModel) {
    return { ...shared, baseUrl: providers.demoBaseUrl, apiKey: null, trusted: 'operatorSupplied' }
  }
  throw new AppError(
    'bot_misconfigured',
    `The bot "${bot.name}" has no address to ask: give it a base URL, or set DEFAULT_MODEL_BASE_URL on the server.`,
  )
}

/** The wire format that a bot's model speaks. */
export function apiTypeOf({ api_type }: Pick<BotRow, 'api_type'>): ApiType {
  return apiTypes.find((type) => type === api_type) ?? 'openai'
}

function openKey(bot: BotRow, sealer: Sealer): string | null {
  if (bot.api_key === null) return null
  try {
    return sealer.open(bot.api_key)
  } catch (error) {
    throw new AppError(
      'bot_misconfigured',
      `The stored key of the bot "${bot.name}" cannot be read any more, since SECRET_KEY is another one. Enter the key again.`,
      { cause: error },
    )
  }
}

/** With the operator's key in the request, a path typed by a person stays below the operator's address. */
function refuseClimbing(bot: BotRow): void {
  const path = (bot.custom_api_path ?? '').replaceAll(/%2e/gi, '.')
  if (path.split(/[/\\]/).includes('..')) {
    throw new AppError('bot_misconfigured', `The API path of the bot "${bot.name}" must not contain "..".`)
  }
}
