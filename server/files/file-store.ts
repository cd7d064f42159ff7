import { type Insertable, type RawBuilder, sql } from 'kysely'
import { type Actor, changeable, ofSameUser, ofUser, readable } from '../access/access.ts'
import type { Db, Dialect } from '../db/database.ts'
import type { FileTable, FileTextRow } from '../db/tables/tables.ts'

/** Notes bytes that are about to be written, so that they are deleted if their upload is killed. */
export async function noteBytes(db: Db, id: string, since: number): Promise<void> {
  await db.insertInto('unused_bytes').values({ file_id: id, since }).execute()
}

/**
 * Notes that bytes can be deleted. Returns false when a file has them: this waits for the transaction in which a file is
 * about to get them.
 */
export async function releaseBytes(db: Db, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('unused_bytes')
    .set({ since: 0 })
    .where('file_id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** After the bytes were deleted, or have a row in `files`. */
export async function forgetBytes(db: Db, id: string): Promise<void> {
  await db.deleteFrom('unused_bytes').where('file_id', '=', id).execute()
}

export async function findUnusedBytes(db: Db, before: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('unused_bytes')
    .select('file_id')
    .where('since', '<', before)
    .orderBy('since')
    .limit(1)
    .executeTakeFirst()
  return row?.file_id
}

/** Whether the bytes with this id belong to a file, or may belong to one that is being uploaded. */
export async function areBytesKnown(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from user_files where id = ${id} union all select 1 from unused_bytes where file_id = ${id}`.execute(
    db,
  )
  return rows.length > 0
}

/** @throws a unique violation when the user has a file with this hash */
export async function insertFile(trx: Db, file: Insertable<FileTable>): Promise<void> {
  await trx.insertInto('user_files').values(file).execute()
}

/** Stores what was read of a file after all. Returns false when that was done meanwhile. */
export async function replaceProblem(
  trx: Db,
  { id, problem }: Pick<FileTable, 'id' | 'problem'>,
  columns: Partial<FileTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('user_files')
    .set(columns)
    .where('id', '=', id)
    .where('problem', '=', problem)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Rows of one statement, whose texts may have megabytes. */
const maxInsertedTexts = 50

export async function insertTexts(trx: Db, texts: readonly FileTextRow[]): Promise<void> {
  for (let start = 0; start < texts.length; start += maxInsertedTexts)
    await trx
      .insertInto('file_texts')
      .values(texts.slice(start, start + maxInsertedTexts))
      .execute()
}

/**
 * Returns the user's file with this content, and notes that it waits to be sent, so that it is kept for now, whatever is
 * deleted of the messages that have it. One statement, because the file may be about to be deleted.
 */
export function keepSameFile(
  db: Db,
  actor: Actor,
  hash: string,
  unsent_since: number,
): Promise<FileTable | undefined> {
  return db
    .updateTable('user_files')
    .set({ unsent_since })
    .where(ofUser(actor.id, 'user_files'))
    .where('hash', '=', hash)
    .returningAll()
    .executeTakeFirst()
}

/** Notes the same for files by their ids. Returns false when one of them is not stored. */
export async function keepUnsent(
  trx: Db,
  actor: Actor,
  ids: readonly string[],
  now: number,
): Promise<boolean> {
  if (ids.length === 0) return true
  const { numUpdatedRows } = await trx
    .updateTable('user_files')
    .set({ unsent_since: now })
    .where('id', 'in', [...ids])
    .where(changeable(actor, 'user_files'))
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows) === ids.length
}

/** Returns those of the files that the actor may read, in no order. */
export async function listFilesById(
  db: Db,
  actor: Actor,
  ids: readonly string[],
): Promise<readonly FileTable[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('user_files')
    .selectAll()
    .where(readable(actor, 'user_files'))
    .where('id', 'in', [...ids])
    .execute()
}

/** The bytes that a user's files have. */
export async function countUsedBytes(db: Db, userId: string): Promise<number> {
  const row = await db
    .selectFrom('user_files')
    .select(({ fn }) => fn.sum<number | string | null>('size').as('bytes'))
    .where(ofUser(userId, 'user_files'))
    .executeTakeFirst()
  return Number(row?.bytes ?? 0)
}

/** A part of a file's text without it. */
export type TextSize = Pick<FileTextRow, 'file_id' | 'number' | 'tokens' | 'units'>

/** Returns the sizes of the texts of files, by the id of the file, each in the order of its text. */
export async function listTextSizes(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly TextSize[]>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('file_texts')
    .select(['file_id', 'number', 'tokens', 'units'])
    .where('file_id', 'in', [...ids])
    .orderBy('file_id')
    .orderBy('number')
    .execute()
  return Map.groupBy(rows, (row) => row.file_id)
}

/** Returns the first `count` parts of a file's text. */
export async function readTexts(db: Db, id: string, count: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('file_texts')
    .select('content')
    .where('file_id', '=', id)
    .where('number', '<', count)
    .orderBy('number')
    .execute()
  return rows.map(({ content }) => content)
}

/** Notes that a message has these files. */
export async function linkFiles(
  trx: Db,
  chatId: string,
  messageId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  await trx
    .updateTable('user_files')
    .set({ unsent_since: null })
    .where('id', 'in', [...ids])
    .where('unsent_since', 'is not', null)
    .execute()
  await trx
    .insertInto('message_files')
    .values(ids.map((file_id) => ({ file_id, chat_id: chatId, message_id: messageId })))
    .execute()
}

/** Returns the files in a chat, with the messages that have them. The caller has checked who may read the chat. */
export function listChatFiles(
  db: Db,
  chatId: string,
): Promise<(Pick<FileTable, 'id' | 'name' | 'type' | 'size'> & { readonly message_id: string })[]> {
  return db
    .selectFrom('message_files as l')
    .innerJoin('user_files as f', 'f.id', 'l.file_id')
    .select(['f.id', 'f.name', 'f.type', 'f.size', 'l.message_id'])
    .where('l.chat_id', '=', chatId)
    .orderBy('l.message_id')
    .orderBy('f.id')
    .execute()
}

/** Returns a file in a chat, whoever the owner is, with the ids of the messages that have it. */
export async function findFileOfShare(
  db: Db,
  chatId: string,
  id: string,
): Promise<{ readonly file: FileTable; readonly messageIds: readonly string[] } | undefined> {
  const rows = await db
    .selectFrom('message_files as l')
    .innerJoin('user_files as f', 'f.id', 'l.file_id')
    .selectAll('f')
    .select('l.message_id')
    .where('l.chat_id', '=', chatId)
    .where('l.file_id', '=', id)
    .execute()
  const [first] = rows
  if (first === undefined) return undefined
  const { message_id: _, ...file } = first
  return { file, messageIds: rows.map(({ message_id }) => message_id) }
}

/** Files that one statement deletes. Their texts go with them. */
const maxDeletedFiles = 5

/** The condition for files that no message has which waits to be sent, in a chat other than `exceptChatId`. */
function isNotQueued(exceptChatId = ''): RawBuilder<unknown> {
  return sql`not exists (select 1 from queued_messages q where ${ofSameUser('queued_messages as q', 'user_files')}
    and q.chat_id <> ${exceptChatId} and q.content like '%"' || user_files.id || '"%')`
}

type RowLock = Pick<Dialect, 'lockRows'>

/** Deletes some of the files that only this chat has and that do not wait to be sent. Returns whether it must go on. */
export function deleteFilesOfChat(trx: Db, dialect: RowLock, chatId: string): Promise<boolean> {
  return deleteFiles(
    trx,
    dialect,
    sql`unsent_since is null and id in (select file_id from message_files where chat_id = ${chatId})
      and not exists (select 1 from message_files where file_id = user_files.id and chat_id <> ${chatId})
      and ${isNotQueued(chatId)}`,
  )
}

/** Deletes some of a user's files. Returns whether it must go on. */
export function deleteFilesOfUser(trx: Db, dialect: RowLock, userId: string): Promise<boolean> {
  return deleteFiles(trx, dialect, ofUser(userId, 'user_files'))
}

/** The condition for files that neither a message has nor one that waits to be sent. */
const isInNoMessage = sql`not exists (select 1 from message_files where file_id = user_files.id)
  and ${isNotQueued()}`

/** Deletes some of the files that were uploaded before `before` and never sent. Returns whether it must go on. */
export function deleteUnsentFiles(trx: Db, dialect: RowLock, before: number): Promise<boolean> {
  return deleteFiles(trx, dialect, sql`unsent_since < ${before} and ${isInNoMessage}`)
}

/** Deletes a file of the actor that no message has. Returns whether there was one. */
export function deleteUnsentFile(trx: Db, dialect: RowLock, actor: Actor, id: string): Promise<boolean> {
  return deleteFiles(trx, dialect, sql`id = ${id} and ${ofUser(actor.id, 'user_files')} and ${isInNoMessage}`)
}

/**
 * Deletes some of the files that fulfil a condition, and returns whether there were any. Their bytes can be deleted when
 * the transaction has ended.
 */
async function deleteFiles(trx: Db, { lockRows }: RowLock, condition: RawBuilder<unknown>): Promise<boolean> {
  const found = await sql<{ readonly id: string }>`
    select id from user_files where ${condition} limit ${sql.lit(maxDeletedFiles)} ${lockRows}`.execute(trx)
  if (found.rows.length === 0) return false
  const ids = found.rows.map(({ id }) => id)
  // Until the files were locked, a message may have been sent with one. Only a new statement sees it.
  const deleted = await sql<{ readonly id: string }>`
    delete from user_files where id in (${sql.join(ids)}) and ${condition} returning id`.execute(trx)
  if (deleted.rows.length > 0)
    await trx
      .insertInto('unused_bytes')
      .values(deleted.rows.map(({ id }) => ({ file_id: id, since: 0 })))
      .execute()
  return true
}
