import type { FileRef } from '@yonder/contract/message'
import { type Actor, type exportable, readable } from '../access/access.ts'
import type { Db } from '../db/database.ts'
import type { FileTable } from '../db/tables/tables.ts'

export interface NewFile extends FileRef {
  /** Base64. */
  readonly data: string
}

/** Stores the files of a message beside it. */
export async function insertFiles(
  trx: Db,
  chatId: string,
  messageId: string,
  files: readonly NewFile[],
): Promise<void> {
  if (files.length === 0) return
  await trx
    .insertInto('files')
    .values(files.map((file) => ({ ...file, chat_id: chatId, message_id: messageId })))
    .execute()
}

/**
 * Returns the files of a chat that the actor may read, without their data, which is large, so that of each file is read
 * alone. `may` is the condition for the chat.
 */
export function listFiles(
  db: Db,
  actor: Actor,
  chatId: string,
  may: typeof exportable = readable,
): Promise<Omit<FileTable, 'chat_id' | 'data'>[]> {
  return db
    .selectFrom('files')
    .innerJoin('chats', 'chats.id', 'files.chat_id')
    .select(['files.id', 'files.message_id', 'files.name', 'files.type', 'files.size'])
    .where(may(actor, 'chats'))
    .where('files.chat_id', '=', chatId)
    .orderBy('files.message_id')
    .orderBy('files.id')
    .execute()
}

/** Returns a file of a chat that the actor may read. `may` is the condition for the chat. */
export function findFile(
  db: Db,
  actor: Actor,
  id: string,
  may: typeof exportable = readable,
): Promise<Pick<FileTable, 'type' | 'data'> | undefined> {
  return db
    .selectFrom('files')
    .innerJoin('chats', 'chats.id', 'files.chat_id')
    .select(['files.type', 'files.data'])
    .where(may(actor, 'chats'))
    .where('files.id', '=', id)
    .executeTakeFirst()
}
