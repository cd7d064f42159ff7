import type { BotInput } from '@yonder/contract/bot'
import { ownerOf } from '../access/access.ts'
import type { Db } from '../db/database.ts'
import type { BotRow } from '../db/tables/tables.ts'
import { AppError } from '../lib/app-error.ts'
import { connectorIdsOf, type BotValues, type NamedConnector } from './bot-fields.ts'
import { findBotConnectors } from './bot-store.ts'

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
