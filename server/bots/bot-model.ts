import { apiTypes, type ApiType } from '@yonder/contract/bot'
import type { Config } from '../config/config.ts'
import { openCredential, type Credential } from '../db/secrets/credential.ts'
import { botKeyContext } from '../db/secrets/seal-contexts.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { BotRow } from '../db/tables/tables.ts'
import { AppError } from '../lib/app-error.ts'
import type { ListedModels } from '../models/catalogue/listed-models.ts'
import type { ModelEndpoint } from '../models/endpoint.ts'
import { listModels } from '../models/list-models.ts'
import type { ModelStream } from '../models/model.ts'
import { openModel, type ModelDeps } from '../models/open-model.ts'
import { PartQueue } from '../models/reply-parts.ts'
import { addressOfBot } from './bot-fields.ts'

/** The name of the built-in demo model. */
export const demoModel = 'demo'

export interface Providers {
  /** The operator's provider, for bots without an address of their own. */
  readonly defaultModel: Config['defaultModel']
  /** The address of the built-in demo model. */
  readonly demoBaseUrl: string
  readonly sealer: Sealer
}

export interface BotModelDeps
  extends Omit<Providers, 'defaultModel'>, Pick<ModelDeps, 'guards' | 'dialects'> {
  readonly config: Pick<Config, 'defaultModel'>
  readonly listedModels?: ListedModels
}

/**
 * The address and key of a bot's model. The bot's own key is sent to the bot's own address or to the operator's, and
 * the operator's key only to the operator's.
 * @throws AppError `bot_misconfigured`
 */
export function resolveEndpoint(bot: BotRow, providers: Providers): ModelEndpoint {
  const format = {
    apiType: apiTypeOf(bot),
    customApiPath: bot.custom_api_path,
  }
  const ownKey = openKey(bot, providers)
  if (bot.base_url !== null)
    return { ...format, baseUrl: bot.base_url, apiKey: ownKey, addressSource: 'userSupplied' }
  if (providers.defaultModel !== null) {
    const { baseUrl, apiKey } = providers.defaultModel
    return { ...format, baseUrl, apiKey: ownKey ?? apiKey, addressSource: 'operatorSupplied' }
  }
  if (bot.model === demoModel) {
    return { ...format, baseUrl: providers.demoBaseUrl, apiKey: null, addressSource: 'operatorSupplied' }
  }
  throw new AppError(
    'bot_misconfigured',
    `The bot "${bot.name}" has no address: enter its base URL, or set DEFAULT_MODEL_BASE_URL on the server.`,
  )
}

/** The wire format of a bot's model. */
export function apiTypeOf({ api_type }: Pick<BotRow, 'api_type'>): ApiType {
  return apiTypes.find((type) => type === api_type) ?? 'openai'
}

/** A key is sent only to the address that it was entered for, also when the operator changes the address. */
function openKey(bot: BotRow, providers: Providers): string | null {
  if (bot.api_key === null) return null
  const { secret, address } = decryptKey(bot, bot.api_key, providers.sealer)
  if (address === addressOfBot(bot, providers)) return secret
  throw new AppError(
    'bot_misconfigured',
    `The key of the bot "${bot.name}" was not sent, because it was entered for another address${address === null ? '' : ` (${address})`}. Enter the key again.`,
  )
}

function decryptKey(bot: BotRow, sealed: string, sealer: Sealer): Credential {
  try {
    return openCredential(sealer, botKeyContext(bot), sealed)
  } catch (error) {
    throw new AppError(
      'bot_misconfigured',
      `The stored key of the bot "${bot.name}" cannot be decrypted, because SECRET_KEY has changed. Enter the key again.`,
      { cause: error },
    )
  }
}

/**
 * Opens the model of a bot. When the bot is misconfigured, the stream fails with the reason, so that the user sees it
 * in place of the reply.
 */
export function openBotModel(deps: BotModelDeps, bot: BotRow): ModelStream {
  try {
    const { config, demoBaseUrl, sealer, guards, dialects, listedModels } = deps
    const endpoint = resolveEndpoint(bot, { defaultModel: config.defaultModel, demoBaseUrl, sealer })
    const model = openModel(endpoint, {
      guards,
      ...(dialects === undefined ? {} : { dialects }),
      ...(listedModels === undefined ? {} : { listedModels }),
    })
    return listedModels === undefined ? model : readListAfter(model, endpoint, { guards, listedModels })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return () => {
      const parts = new PartQueue()
      parts.push([{ type: 'failed', code: error.code, message: error.message }])
      return { drain: () => parts.drain(), closed: Promise.resolve() }
    }
  }
}

interface ReadListDeps extends Pick<ModelDeps, 'guards'> {
  readonly listedModels: ListedModels
}

/**
 * Reads the list of the provider's models after a reply, when it is not known. The reply does not wait for it: what the
 * list says counts from the next request on. Only Anthropic's list says what its models can do.
 */
function readListAfter(model: ModelStream, endpoint: ModelEndpoint, deps: ReadListDeps): ModelStream {
  if (endpoint.apiType !== 'anthropic') return model
  async function readList(closed: Promise<void>): Promise<void> {
    await closed
    if (!deps.listedModels.claimRead(endpoint)) return
    try {
      await listModels(endpoint, deps, new AbortController().signal)
    } catch {
      // Without the list, the model's name says what it can do.
    }
  }
  return (request, options) => {
    const reply = model(request, options)
    void readList(reply.closed)
    return reply
  }
}
