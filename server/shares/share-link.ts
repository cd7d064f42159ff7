import { deriveTitle, maxShareTitleChars } from '@yonder/contract/message-text'
import type { OwnShare, ShareChange, ShareRequest, ShareResponse } from '@yonder/contract/share'
import type { Kysely } from 'kysely'
import { type Actor, ownedBy } from '../access/access.ts'
import { requireChat } from '../chats/chat-store.ts'
import { findMessage } from '../chats/message-store.ts'
import type { Db } from '../db/database.ts'
import type { Tables } from '../db/tables/tables.ts'
import { lockUser } from '../identity/users/user-store.ts'
import { AppError } from '../lib/app-error.ts'
import { newId } from '../lib/new-id.ts'
import {
  countShares,
  deleteShare,
  insertShare,
  isShared,
  type ListedShare,
  updateShare,
} from './share-store.ts'
import { countSharedFiles } from './shared-files.ts'

/** Shared links of a user. Limited because one response lists them all. */
const maxShares = 1_000

/**
 * Creates a link to the path that ends with a message, by default the selected leaf. A
 * message that has a link keeps it, and with `files` changes whether its files go along.
 * @throws AppError `not_found`, `conflict`
 */
export async function createShare(
  db: Kysely<Tables>,
  user: Actor,
  { chatId, messageId: given, files }: ShareRequest & { readonly chatId: string },
  now: number,
): Promise<ShareResponse> {
  const chat = await requireChat(db, user, chatId)
  const messageId = given ?? chat.selected_message_id
  if (messageId === null)
    throw new AppError('conflict', 'This chat is empty. Share it when it has a message.')
  const message = await findMessage(db, chatId, messageId)
  if (message === undefined)
    throw new AppError('not_found', 'There is no such message in this chat. Reload the page.')
  if (message.status === 'streaming') {
    throw new AppError('conflict', 'This reply is still being written. Share it when it is finished.')
  }
  const share = await db.transaction().execute(async (trx) => {
    await lockUser(trx, user)
    if (!(await isShared(trx, chatId, messageId)) && (await countShares(trx, user)) >= maxShares)
      throw new AppError(
        'conflict',
        `You have ${maxShares.toLocaleString('en')} shared links. Revoke one before you share another.`,
      )
    const created = {
      id: newId(),
      ...ownedBy(user),
      chat_id: chatId,
      message_id: messageId,
      created_at: now,
      files: 0,
    }
    return insertShare(trx, created, files === undefined ? {} : { files: Number(files) })
  })
  const count = await countSharedFiles(db, chatId, messageId)
  return { shareId: share.id, ...(count > 0 && { files: { count, shared: share.files === 1 } }) }
}

/**
 * Changes whether the visitors of a link may read its files.
 * @throws AppError `not_found`
 */
export async function changeShare(db: Db, user: Actor, id: string, { files }: ShareChange): Promise<void> {
  if (!(await updateShare(db, user, id, { files: Number(files) }))) throw noSuchLink()
}

/**
 * Revokes a link forever. Sharing the message again creates another link.
 * @throws AppError `not_found`
 */
export async function revokeShare(db: Db, user: Actor, id: string): Promise<void> {
  if (!(await deleteShare(db, user, id))) throw noSuchLink()
}

function noSuchLink(): AppError {
  return new AppError('not_found', 'There is no such link. Reload the page.')
}

/** Presents a link to its owner, with the beginning of the first shared message as its title. */
export function presentShare({ id, created_at, first_text, files }: ListedShare): OwnShare {
  const { text, isCut } = deriveTitle(first_text, maxShareTitleChars)
  return {
    id,
    title: isCut ? `${text.trimEnd()}…` : text,
    created_at: new Date(created_at).toISOString(),
    files: files === 1,
  }
}
