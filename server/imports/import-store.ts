import { setImmediate as nextTurn } from 'node:timers/promises'
import { missingFilePrefix } from '@yonder/contract/lib/file-limits'
import { FileRef } from '@yonder/contract/message'
import { type Insertable, sql } from 'kysely'
import { z } from 'zod'
import { type Actor, changeable, everyChatOf } from '../access/access.ts'
import type { Db } from '../db/database.ts'
import type { ChatRow, CompactionRow, MessageTable, NewChatRow } from '../db/tables/tables.ts'
import type { StorableChat } from './storable-chat.ts'

/** A chat that is here already, perhaps deleted. */
export type KnownChat = Pick<ChatRow, 'id' | 'selected_message_id' | 'chars' | 'created_at' | 'deleted_at'>

/** Finds the chat of an earlier import, or of our own export. One that is deleted for good counts as gone. */
export function findKnownChat(
  db: Db,
  actor: Actor,
  { key, ownIds }: Pick<StorableChat, 'key' | 'ownIds'>,
): Promise<KnownChat | undefined> {
  return db
    .selectFrom('chats')
    .select(['id', 'selected_message_id', 'chars', 'created_at', 'deleted_at'])
    .where(everyChatOf(actor.id, 'chats'))
    .where((is) => {
      const isImported = is.and([is('source', '=', key.source), is('source_id', '=', key.id)])
      return ownIds.length === 0 ? isImported : is.or([isImported, is('id', 'in', ownIds)])
    })
    .where(({ or, eb }) => or([eb('deleted_at', 'is', null), eb('deleted_at', '>', 0)]))
    .orderBy(sql`deleted_at is not null`)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

/** Inserts a chat of an import. Returns false when another import has done so. */
export async function insertImportedChat(
  trx: Db,
  actor: Actor,
  chat: NewChatRow & { readonly source: string; readonly source_id: string },
): Promise<boolean> {
  // The one that is about to be deleted for good must not stand in its place.
  await trx
    .updateTable('chats')
    .set({ source: null, source_id: null })
    .where(everyChatOf(actor.id, 'chats'))
    .where('source', '=', chat.source)
    .where('source_id', '=', chat.source_id)
    .where('deleted_at', '=', 0)
    .execute()
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('chats')
    .values(chat)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** What an import needs to know of a message that is here. */
export type KnownMessage = Pick<MessageTable, 'id' | 'first_id' | 'second_id' | 'unix_timestamp'>

const messagesAtOnce = 1_000

/** Returns the messages of a chat by their ids. */
export async function listKnownMessages(db: Db, chatId: string): Promise<ReadonlyMap<string, KnownMessage>> {
  const known = new Map<string, KnownMessage>()
  for (let after = -1; ;) {
    const page: KnownMessage[] = await db
      .selectFrom('messages')
      .select(['id', 'first_id', 'second_id', 'unix_timestamp'])
      .where('chat_id', '=', chatId)
      .where('unix_timestamp', '>', after)
      .orderBy('unix_timestamp')
      .limit(messagesAtOnce)
      .execute()
    for (const message of page) known.set(message.id, message)
    const last = page.at(-1)
    if (last === undefined || page.length < messagesAtOnce) return known
    after = last.unix_timestamp
    await nextTurn()
  }
}

const Files = z.array(FileRef)

/** A message of which files are missing. */
export interface FilesOfMessage extends Pick<MessageTable, 'id' | 'outcome'> {
  readonly files: readonly FileRef[]
}

/** Returns the messages of a chat that have files which no import has had. */
export async function listMissingFiles(db: Db, chatId: string): Promise<readonly FilesOfMessage[]> {
  const rows = await db
    .selectFrom('messages')
    .select(['id', 'files', 'outcome'])
    .where('chat_id', '=', chatId)
    .where('files', 'like', `%"${missingFilePrefix}%`)
    .execute()
  return rows.map(({ id, files, outcome }) => ({
    id,
    outcome,
    files: Files.parse(JSON.parse(files ?? '[]')),
  }))
}

/** Replaces the files of a message. */
export async function replaceFiles(
  trx: Db,
  chatId: string,
  { id, files, outcome }: FilesOfMessage,
): Promise<void> {
  await trx
    .updateTable('messages')
    .set({
      files: JSON.stringify(files),
      file_names: files.map(({ name }) => name).join('\n'),
      outcome,
    })
    .where('chat_id', '=', chatId)
    .where('id', '=', id)
    .execute()
}

export type ImportedRow = Insertable<MessageTable>

/** Whether a message of a chat has one of these ids or times. */
export async function isTaken(trx: Db, chatId: string, rows: readonly ImportedRow[]): Promise<boolean> {
  // Two queries, because a database may read the whole chat for a condition with `or`.
  for (const column of ['id', 'unix_timestamp'] as const) {
    const row = await trx
      .selectFrom('messages')
      .select('id')
      .where('chat_id', '=', chatId)
      .where(
        column,
        'in',
        rows.map((row) => row[column]),
      )
      .limit(1)
      .executeTakeFirst()
    if (row !== undefined) return true
  }
  return false
}

export async function insertImportedMessages(trx: Db, rows: readonly ImportedRow[]): Promise<void> {
  await trx
    .insertInto('messages')
    .values([...rows])
    .execute()
}

/** Inserts a summary, unless another one ends with the same message. */
export async function insertImportedCompaction(trx: Db, compaction: CompactionRow): Promise<void> {
  await trx
    .insertInto('compactions')
    .values(compaction)
    .onConflict((conflict) => conflict.columns(['chat_id', 'message_id']).doNothing())
    .execute()
}

/**
 * Locks a chat until `trx` ends, unless it was deleted. `updatedAt` is set when it is later. Returns false when the chat
 * was deleted.
 */
export async function lockImportedChat(
  trx: Db,
  actor: Actor,
  { id, updatedAt }: { readonly id: string; readonly updatedAt: number },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('chats')
    .set({ updated_at: sql`case when updated_at < ${updatedAt} then ${updatedAt} else updated_at end` })
    .where('id', '=', id)
    .where(changeable(actor, 'chats'))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Counts the characters of messages that were inserted, and shows the path to `leafId`, unless the user has chosen
 * another one than `shownId` meanwhile.
 */
export async function changeImportedChat(
  trx: Db,
  { id, addedChars, shownId, leafId }: ImportedChatChange,
): Promise<void> {
  await trx
    .updateTable('chats')
    .set({ chars: sql`chars + ${addedChars}` })
    .where('id', '=', id)
    .execute()
  if (leafId === shownId) return
  await trx
    .updateTable('chats')
    .set({ selected_message_id: leafId })
    .where('id', '=', id)
    .where((is) =>
      shownId === null ? is('selected_message_id', 'is', null) : is('selected_message_id', '=', shownId),
    )
    .execute()
}

export interface ImportedChatChange {
  readonly id: string
  readonly addedChars: number
  readonly shownId: string | null
  readonly leafId: string | null
}
