import type { Kysely } from 'kysely'
import { requireChat } from '../chats/chat-store.ts'
import { findMessage } from '../chats/message-store.ts'
import { newId } from '../lib/new-id.ts'
import type { Tables } from '../db/tables/tables.ts'
import { AppError } from '../lib/app-error.ts'
import type { User } from '../identity/user.ts'
import { canShare } from './share-policy.ts'
import { insertShare } from './share-store.ts'

/**
 * Gives the id of the link to a message and the way to it; a message that was shared before keeps its link (§7.10).
 * @throws AppError `not_found`, `conflict`
 */
export async function createShare(
  db: Kysely<Tables>,
  user: Pick<User, 'id'>,
  { chatId, messageId }: { readonly chatId: string; readonly messageId: string },
  now: number,
): Promise<string> {
  await requireChat(db, user, chatId)
  const message = await findMessage(db, chatId, messageId)
  if (message === undefined) throw new AppError('not_found', 'There is no such message in this chat.')
  if (!canShare(message)) {
    throw new AppError('conflict', 'This reply is still being written. Share it when it is finished.')
  }
  return insertShare(db, {
    id: newId(),
    user_id: user.id,
    chat_id: chatId,
    message_id: messageId,
    created_at: now,
  })
}
