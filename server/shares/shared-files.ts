import { filesOfContent } from '@yonder/contract/message-text'
import { contentOf, findMessage, isToolResult, listWholePath } from '../chats/message-store.ts'
import type { Db } from '../db/database.ts'
import type { FileTable } from '../db/tables/tables.ts'
import { findFileOfShare, listChatFiles } from '../files/file-store.ts'
import { noSuchFile } from '../files/send-file.ts'
import { findShare } from './share-store.ts'

/** Counts the files in the messages of a path. Those in results of tools are private, as the results are. */
export async function countSharedFiles(db: Db, chatId: string, messageId: string): Promise<number> {
  const files = await listChatFiles(db, chatId)
  if (files.length === 0) return 0
  const shown = await listShownIds(db, chatId, messageId)
  return new Set(files.flatMap(({ id, message_id }) => (shown.has(message_id) ? [id] : []))).size
}

/**
 * Finds a file that the visitors of a link may read: its owner lets the files go along, and it is in a message of the path.
 * Its name is the one in the message: the one under which it was uploaded is not shared.
 * @throws AppError `not_found`
 */
export async function requireSharedFile(db: Db, shareId: string, id: string): Promise<FileTable> {
  const share = await findShare(db, shareId)
  if (share === undefined || share.files !== 1) throw noSuchFile()
  const found = await findFileOfShare(db, share.chat_id, id)
  if (found === undefined) throw noSuchFile()
  const shown = await listShownIds(db, share.chat_id, share.message_id)
  const messageId = found.messageIds.find((one) => shown.has(one))
  const message = messageId === undefined ? undefined : await findMessage(db, share.chat_id, messageId)
  if (message === undefined) throw noSuchFile()
  const name = filesOfContent(contentOf(message)).find((file) => file.id === id)?.name
  return { ...found.file, ...(name !== undefined && { name }) }
}

async function listShownIds(db: Db, chatId: string, messageId: string): Promise<ReadonlySet<string>> {
  const path = await listWholePath(db, chatId, messageId)
  return new Set(path.flatMap((place) => (isToolResult(place) ? [] : [place.id])))
}
