import type { Kysely } from 'kysely'
import type { Tables } from '../db/tables/tables.ts'
import { AppError } from '../lib/app-error.ts'
import type { User } from '../identity/user.ts'
import { moveLeaf, requireChat } from './chat-store.ts'
import { newestLeafBelow } from './chat-tree.ts'
import { findMessage, listNodes } from './message-store.ts'

/**
 * Selects the branch of a message (§7.13): the newest message below it becomes the selected leaf. Returns the leaf's id.
 * @throws AppError `not_found`
 */
export async function selectResponse(
  db: Kysely<Tables>,
  user: User,
  chatId: string,
  messageId: string,
): Promise<string> {
  await requireChat(db, user, chatId)
  if ((await findMessage(db, chatId, messageId)) === undefined) {
    throw new AppError('not_found', 'There is no such message in this chat.')
  }
  const leaf = newestLeafBelow(await listNodes(db, chatId), messageId)
  await moveLeaf(db, chatId, leaf)
  return leaf
}
