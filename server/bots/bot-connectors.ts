import { type Actor, ownerOf } from '../access/access.ts'
import type { Db } from '../db/database.ts'
import type { BotRow } from '../db/tables/tables.ts'
import { connectorsOf } from './bot-fields.ts'
import { findBotConnectors, listBots, updateBotConnectors } from './bot-store.ts'

/**
 * Replaces the name of a connector in the lists of the user's bots; null removes it. Returns whether a bot has changed.
 * Call it in the transaction that renames or deletes the connector, with the user locked.
 */
export async function replaceConnectorInBots(
  trx: Db,
  user: Actor,
  name: string,
  next: string | null,
): Promise<boolean> {
  let hasChanged = false
  for (const bot of await listBots(trx, user)) {
    const names = connectorsOf(bot)
    if (names?.includes(name) !== true) continue
    const replaced = names.flatMap((other) => (other !== name ? [other] : next === null ? [] : [next]))
    await updateBotConnectors(trx, user, bot.id, JSON.stringify([...new Set(replaced)]))
    hasChanged = true
  }
  return hasChanged
}

/**
 * Returns the names of the connectors that a bot may use now; null means all. A bot that was deleted during its run
 * keeps the choice that it had.
 */
export async function readBotConnectors(
  db: Db,
  bot: Pick<BotRow, 'id' | 'user_id' | 'connectors'>,
): Promise<readonly string[] | null> {
  const stored = await findBotConnectors(db, ownerOf(bot), bot.id)
  return connectorsOf(stored ?? bot)
}
