import type { BotInput } from '@yonder/contract/bot'
import type { Actor } from '../access/access.ts'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/database.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import { demoModelName } from '../models/demo/demo-model.ts'
import { toBotValues, type BotValues, type NamedConnector } from './bot-fields.ts'
import { createBot } from './save-bot.ts'

const demoBot: BotInput = { name: 'Yonder Demo', model: demoModelName }

export interface DefaultBotsDeps {
  readonly config: Pick<Config, 'defaultBots' | 'defaultModel'>
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Creates the connectors that every user has. */
  readonly addConnectors: (trx: Db, user: Actor, now: number) => Promise<readonly NamedConnector[]>
}

/**
 * Creates the operator's default bots, in their order, as ordinary bots of a user who signs in for the first time.
 */
export async function insertDefaultBots(
  trx: Db,
  user: Actor,
  { config, sealer, now, addConnectors }: DefaultBotsDeps,
): Promise<void> {
  const bots = listDefaultBots(config)
  const connectors = bots.some((bot) => bot.connectors) ? await addConnectors(trx, user, now()) : []
  for (const bot of bots) {
    await createBot(trx, { sealer, config }, user, toDefaultValues(bot, connectors), now(), true)
  }
}

/** The values of a default bot for a user. Names of connectors that the user does not have mean nothing. */
export function toDefaultValues(bot: BotInput, connectors: readonly NamedConnector[]): BotValues {
  const names = bot.connectors?.filter((name) => connectors.some((one) => one.name === name))
  return toBotValues({ ...bot, connectors: names ?? bot.connectors }, connectors)
}

/**
 * The configured default bots, which may be none. When they are not configured: the demo bot, or no bot when the
 * operator has configured a provider, because the names of its models are unknown here.
 */
export function listDefaultBots({
  defaultBots,
  defaultModel,
}: DefaultBotsDeps['config']): readonly BotInput[] {
  if (defaultBots !== null) return defaultBots
  return defaultModel === null ? [demoBot] : []
}
