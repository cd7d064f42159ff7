import { apiTypes, type ApiType } from '@yonder/contract/bot'
import type { Config } from '../config/config.ts'
import { openCredential, type Credential } from '../db/secrets/credential.ts'
import { botKeyContext } from '../db/secrets/seal-contexts.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { BotRow } from '../db/tables/tables.ts'
import { AppError } from '../lib/app-error.ts'
import type { ModelDeps } from '../models/adapter.ts'
import type { ListedModels } from '../models/catalogue/listed-models.ts'
import { findModelFacts } from '../models/catalogue/model-facts.ts'
import { findInputs, type ModelInputs } from '../models/catalogue/model-inputs.ts'
import type { ModelFacts } from '../models/catalogue/package-facts.ts'
import { createDemoModel, demoModelName } from '../models/demo/demo-model.ts'
import type { ModelEndpoint } from '../models/endpoint.ts'
import { listModels } from '../models/list-models.ts'
import type { ModelPart, ModelRequest, ModelStream } from '../models/model.ts'
import { openModel } from '../models/open-model.ts'
import { addressOfBot, type BotSecretDeps } from './bot-fields.ts'

export const demoModel = createDemoModel()

export interface BotModelDeps extends BotSecretDeps, Pick<ModelDeps, 'guards' | 'dialects'> {
  readonly listedModels?: ListedModels
}

/**
 * The address and key of a bot's model; null for the demo model. The bot's own key is sent to the bot's own address or
 * to the operator's, and the operator's key only to the operator's. A bot of `DEFAULT_BOTS` belongs to its user, who may
 * change its path, but not where the key goes that the operator gave it.
 * @throws AppError `bot_misconfigured`
 */
export function resolveEndpoint(bot: BotRow, deps: BotSecretDeps): ModelEndpoint | null {
  const { defaultModel, defaultBots } = deps.config
  const ownKey = openKey(bot, deps)
  const hasOperatorPath = defaultBots?.some(
    ({ custom_api_path: path, base_url: address }) =>
      Boolean(path) && path === bot.custom_api_path && (address || null) === bot.base_url,
  )
  const format = {
    apiType: apiTypeOf(bot),
    customApiPath: bot.custom_api_path,
    ...(hasOperatorPath && { hasOperatorPath }),
    ...(defaultBots?.some(({ api_key: key }) => key && key === ownKey) && { hasOperatorKey: true }),
  }
  if (bot.base_url !== null)
    return { ...format, baseUrl: bot.base_url, apiKey: ownKey, addressSource: 'userSupplied' }
  if (defaultModel !== null) {
    const { baseUrl, apiKey } = defaultModel
    return { ...format, baseUrl, apiKey: ownKey ?? apiKey, addressSource: 'operatorSupplied' }
  }
  if (bot.model === demoModelName) return null
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
function openKey(bot: BotRow, { sealer, config }: BotSecretDeps): string | null {
  if (bot.api_key === null) return null
  const { secret, address } = decryptKey(bot, bot.api_key, sealer)
  if (address === addressOfBot(bot, config)) return secret
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
    const { guards, listedModels } = deps
    const endpoint = resolveEndpoint(bot, deps)
    if (endpoint === null) return demoModel
    const model = openModel(endpoint, deps)
    return listedModels === undefined ? model : readListAfter(model, endpoint, { guards, listedModels })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return () => {
      const parts: ModelPart[] = [{ type: 'failed', code: error.code, message: error.message }]
      return { drain: () => parts.splice(0), closed: Promise.resolve() }
    }
  }
}

interface ReadListDeps extends Pick<ModelDeps, 'guards'> {
  readonly listedModels: ListedModels
}

/** The hosts of lists in OpenAI's form that say what models can do (`readListedInputs`). */
const describingHosts = /(?:^|\.)(?:openrouter\.ai|mistral\.ai|fireworks\.ai|moonshot\.(?:ai|cn))$/

function describesModels({ apiType, baseUrl }: ModelEndpoint): boolean {
  if (apiType === 'anthropic') return true
  return URL.canParse(baseUrl) && describingHosts.test(new URL(baseUrl).hostname)
}

/** Servers such as llama.cpp say it too, but the lists of most others do not, so they are asked when it matters. */
function hasFiles({ messages }: ModelRequest): boolean {
  return messages.some(({ parts }) => parts.some(({ type }) => type === 'file' || type === 'media'))
}

/**
 * Reads the list of the provider's models after a reply, when it is not known and may say what models can do. The reply
 * does not wait for it: what the list says counts from the next request on.
 */
function readListAfter(model: ModelStream, endpoint: ModelEndpoint, deps: ReadListDeps): ModelStream {
  if (endpoint.apiType === 'google') return model
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
    if (describesModels(endpoint) || hasFiles(request)) void readList(reply.closed)
    return reply
  }
}

export interface BotFactsDeps {
  readonly config: Pick<Config, 'defaultModel' | 'modelPrices'>
  readonly listedModels: Pick<ListedModels, 'find'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export interface BotFacts extends ModelFacts {
  /** What the model can be given, as the bot says, else as is known. */
  readonly inputs: ModelInputs
}

/** What is known about a bot's model, or about another model that its provider has called instead. */
export async function findBotFacts(
  { config, listedModels, now }: BotFactsDeps,
  bot: Pick<BotRow, 'model' | 'base_url' | 'api_type' | 'custom_api_path' | 'images' | 'pdf'>,
  model = bot.model,
): Promise<BotFacts> {
  const address = bot.base_url ?? config.defaultModel?.baseUrl ?? null
  const apiType = apiTypeOf(bot)
  const list = { apiType, baseUrl: address ?? '', customApiPath: bot.custom_api_path }
  const listed = listedModels.find(list, model)
  const facts = await findModelFacts(config, {
    model,
    address,
    time: now(),
    listedWindow: listed?.contextWindow,
  })
  const known = findInputs({ apiType, model, address, listed })
  const inputs = {
    images: bot.images === null ? known.images : bot.images === 'yes',
    pdf: bot.pdf === null ? known.pdf : bot.pdf === 'yes',
  }
  return { ...facts, inputs }
}
