import { type BotInput, type Bot, apiTypes, inputChoices, reasoningEfforts } from '@yonder/contract/bot'
import { z } from 'zod'
import { ownerOf } from '../access/access.ts'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/database.ts'
import { changeSecret, maskSecret, toOrigin } from '../db/secrets/credential.ts'
import { botKeyContext } from '../db/secrets/seal-contexts.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { BotRow } from '../db/tables/tables.ts'
import { AppError } from '../lib/app-error.ts'
import type { ModelFacts } from '../models/catalogue/package-facts.ts'
import { findBotConnectors, type BotChange } from './bot-store.ts'

/** The fields of a new bot before any input. */
export const emptyBot: Omit<BotChange, 'name' | 'model'> = {
  base_url: null,
  api_key: null,
  api_type: null,
  custom_api_path: null,
  max_tokens: null,
  instructions: null,
  temperature: null,
  top_p: null,
  reasoning_effort: null,
  context_window: null,
  images: null,
  pdf: null,
  connectors: null,
  title_model: null,
}

export interface NamedConnector {
  readonly id: string
  readonly name: string
}

/** The input of a bot with the ids of its connectors in place of their names. */
export interface BotValues extends Omit<BotInput, 'connectors'> {
  readonly connectorIds: readonly string[] | null | undefined
}

export interface BotSecretDeps {
  readonly sealer: Sealer
  readonly config: Pick<Config, 'defaultModel'> & Partial<Pick<Config, 'defaultBots'>>
}

/** The origin to which a bot's own key may be sent: that of its base URL, else of the operator's provider. */
export function addressOfBot(
  { base_url }: Pick<BotRow, 'base_url'>,
  { defaultModel }: Pick<Config, 'defaultModel'>,
): string | null {
  const url = base_url ?? defaultModel?.baseUrl
  return url === undefined ? null : toOrigin(url)
}

/**
 * Applies an input to the stored fields: an absent field keeps its value, null or an empty text clears it. A new
 * address clears the key, which belongs to the old address, unless a new key comes with it.
 * @throws AppError `invalid_request`
 */
export function applyBotInput(
  { sealer, config }: BotSecretDeps,
  stored: Omit<BotRow, 'name' | 'model' | 'is_default' | 'created_at'>,
  input: BotValues,
): BotChange {
  const base_url = apply(stored.base_url, input.base_url)
  return {
    name: input.name,
    model: input.model,
    base_url,
    api_key: changeSecret(sealer, {
      field: 'api_key',
      context: botKeyContext(stored),
      stored: stored.api_key,
      input: input.api_key,
      address: addressOfBot({ base_url }, config),
      addressChanged: base_url !== stored.base_url,
    }),
    api_type: apply(stored.api_type, input.api_type),
    custom_api_path: apply(stored.custom_api_path, input.custom_api_path),
    max_tokens: apply(stored.max_tokens, input.max_tokens),
    instructions: apply(stored.instructions, input.instructions),
    temperature: apply(stored.temperature, input.temperature),
    top_p: apply(stored.top_p, input.top_p),
    reasoning_effort: apply(stored.reasoning_effort, input.reasoning_effort),
    context_window: apply(stored.context_window, input.context_window),
    images: apply(stored.images, input.images),
    pdf: apply(stored.pdf, input.pdf),
    connectors: apply(stored.connectors, input.connectorIds && JSON.stringify(input.connectorIds)),
    title_model: apply(stored.title_model, input.title_model),
  }
}

function apply<Value>(stored: Value | null, given: Value | '' | null | undefined): Value | null {
  if (given === undefined) return stored
  return given === '' ? null : given
}

/** The ids of the connectors that a bot may use; null means all. */
export function connectorIdsOf({ connectors }: Pick<BotRow, 'connectors'>): readonly string[] | null {
  return connectors === null ? null : z.array(z.string()).parse(JSON.parse(connectors))
}

/**
 * Returns the ids of the connectors that a bot may use now; null means all. A bot that was deleted during its run keeps
 * the choice that it had.
 */
export async function readBotConnectors(
  db: Db,
  bot: Pick<BotRow, 'id' | 'user_id' | 'connectors'>,
): Promise<readonly string[] | null> {
  const stored = await findBotConnectors(db, ownerOf(bot), bot.id)
  return connectorIdsOf(stored ?? bot)
}

/**
 * Replaces the names of connectors in the input of a bot by their ids.
 * @throws AppError `not_found`
 */
export function toBotValues(
  { connectors: names, ...input }: BotInput,
  connectors: readonly NamedConnector[],
): BotValues {
  const ids = names?.map((name) => {
    const found = connectors.find((one) => one.name === name)
    if (found === undefined) throw new AppError('not_found', `You have no connector named "${name}".`)
    return found.id
  })
  return { ...input, connectorIds: ids === undefined ? names : [...new Set(ids)] }
}

/** Today's names of the connectors that a bot may use, without deleted ones; null means all. */
export function connectorNamesOf(
  bot: Pick<BotRow, 'connectors'>,
  connectors: readonly NamedConnector[],
): string[] | null {
  return connectorIdsOf(bot)?.flatMap((id) => connectors.find((one) => one.id === id)?.name ?? []) ?? null
}

/** A bot as its owner reads it, with the key masked. */
export function presentBot(
  bot: BotRow,
  sealer: Sealer,
  { contextWindow }: ModelFacts,
  connectors: readonly NamedConnector[],
): Bot {
  return {
    name: bot.name,
    model: bot.model,
    base_url: bot.base_url,
    api_key: maskSecret(sealer, botKeyContext(bot), bot.api_key),
    api_type: apiTypes.find((type) => type === bot.api_type) ?? null,
    custom_api_path: bot.custom_api_path,
    max_tokens: bot.max_tokens,
    instructions: bot.instructions,
    temperature: bot.temperature,
    top_p: bot.top_p,
    reasoning_effort: reasoningEfforts.find((effort) => effort === bot.reasoning_effort) ?? null,
    context_window: bot.context_window,
    images: inputChoices.find((choice) => choice === bot.images) ?? null,
    pdf: inputChoices.find((choice) => choice === bot.pdf) ?? null,
    ...(contextWindow !== undefined && { known_context_window: contextWindow }),
    title_model: bot.title_model,
    connectors: connectorNamesOf(bot, connectors),
  }
}
