import { CompiledQuery, sql } from 'kysely'
import { ofUser } from '../../access/access.ts'
import type { Db } from '../../db/database.ts'
import { prepareQuery } from '../../db/dialects/prepare-query.ts'
import { searchableSql, searchedSql } from '../../db/dialects/searchable-sql.ts'
import { chunkLength, chunkOverlap, rowIdOf } from './sqlite-search-store.ts'

/** A chunk of a finished message that is not indexed yet. */
export interface QueuedChunk {
  readonly position: number
  readonly chunk: number
  /** One character more than a chunk when the text continues; null when the message was deleted. */
  readonly text: string | null
  readonly user_id: string | null
  /** The user's number in the index, if one is assigned. */
  readonly user: number | null
}

const firstQueued = prepareQuery((db) => db.selectFrom('search_queue').select('position').limit(1).compile())

export async function hasQueued(db: Db): Promise<boolean> {
  return (await firstQueued(db, {})).rows.length > 0
}

/** Characters from the start of a chunk to the start of the next one. */
export const chunkStep = chunkLength - chunkOverlap

const queuedChunks = prepareQuery((db, { limit }: { readonly limit: number }) =>
  db
    .selectFrom('search_queue as q')
    .leftJoin('messages as m', 'm.position', 'q.position')
    .leftJoin('chats as c', 'c.id', 'm.chat_id')
    .leftJoin('search_users as u', 'u.user_id', 'c.user_id')
    .select([
      'q.position',
      'q.chunk',
      sql<
        string | null
      >`substr(${sql.raw(searchedSql('m'))}, q.chunk * ${sql.lit(chunkStep)} + 1, ${sql.lit(chunkLength + 1)})`.as(
        'text',
      ),
      'c.user_id',
      'u.number as user',
    ])
    .where(({ or, eb }) => or([eb('c.deleted_at', 'is', null), eb('c.deleted_at', '!=', 0)]))
    .orderBy('q.position')
    .limit(limit)
    .compile(),
)

/** Returns the next chunk of each of the oldest queued messages, but none of a chat that is deleted for good. */
export async function listQueued(trx: Db, limit: number): Promise<QueuedChunk[]> {
  return (await queuedChunks(trx, { limit })).rows
}

/** Returns the user's number in the index, and assigns one if there is none. */
export async function assignUserNumber(trx: Db, userId: string): Promise<number> {
  const { number } = await trx
    .insertInto('search_users')
    .values({ user_id: userId })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ user_id: userId }))
    .returning('number')
    .executeTakeFirstOrThrow()
  return number
}

/** Which chunk of which message of which user. */
interface ChunkPlace {
  readonly user: number
  readonly position: number
  readonly chunk: number
}

const rowIdParams = rowIdOf('cast(? as integer)', 'cast(? as integer)', 'cast(? as integer)')
const insertIntoIndex = `insert into message_search (rowid, grams) values (${rowIdParams}, ?)`
const deleteFromIndex = `insert into message_search (message_search, rowid, grams) values ('delete', ${rowIdParams}, ?)`

/** Indexes a chunk of a message. */
export async function insertChunk(
  trx: Db,
  { user, position, chunk }: ChunkPlace,
  grams: string,
): Promise<void> {
  await trx.executeQuery(CompiledQuery.raw(insertIntoIndex, [user, position, chunk, grams]))
}

/**
 * Removes a chunk of a message from the index. `grams` must be those that were indexed, because the index has no text.
 */
export async function deleteChunk(
  trx: Db,
  { user, position, chunk }: ChunkPlace,
  grams: string,
): Promise<void> {
  await trx.executeQuery(CompiledQuery.raw(deleteFromIndex, [user, position, chunk, grams]))
}

/**
 * Pages of the index that are merged at the end of a slice. They must be more than a slice writes, times the levels of
 * the index, so that the parts that it writes do not pile up: then SQLite merges sixteen of them at once.
 */
const mergedPages = 40

/** Merges some parts of the index. By itself it would merge hundreds of pages at once, which takes 100 ms and more. */
export async function mergeIndex(trx: Db): Promise<void> {
  await sql`insert into message_search (message_search, rank) values ('merge', ${sql.lit(mergedPages)})`.execute(
    trx,
  )
}

/** A message and what of it is in the index. */
export interface IndexedMessage {
  readonly position: number
  /** Characters of its text. */
  readonly length: number
  /** 1 for a message that the index has, wholly if it is not queued. */
  readonly is_searchable: number
  /** The chunk at which indexing it continues; null when it is not queued. */
  readonly next_chunk: number | null
  /** The number of its user in the index, if one is assigned. */
  readonly user: number | null
}

const oldestMessage = prepareQuery((db, chat: { readonly id: string }) =>
  db
    .selectFrom('messages as m')
    .innerJoin('chats as c', 'c.id', 'm.chat_id')
    .leftJoin('search_users as u', 'u.user_id', 'c.user_id')
    .leftJoin('search_queue as q', 'q.position', 'm.position')
    .select([
      'm.position',
      sql<number>`length(${sql.raw(searchedSql('m'))})`.as('length'),
      sql<number>`${sql.raw(searchableSql('m'))}`.as('is_searchable'),
      'q.chunk as next_chunk',
      'u.number as user',
    ])
    .where('m.chat_id', '=', chat.id)
    .orderBy('m.unix_timestamp')
    .limit(1)
    .compile(),
)

/** Returns the oldest message of a chat. */
export async function findOldestMessage(trx: Db, chatId: string): Promise<IndexedMessage | undefined> {
  return (await oldestMessage(trx, { id: chatId })).rows[0]
}

const chunkText = prepareQuery(
  (db, { position, start }: { readonly position: number; readonly start: number }) =>
    db
      .selectFrom('messages')
      .select(
        sql<string>`substr(${sql.raw(searchedSql('messages'))}, ${start}, ${sql.lit(chunkLength + 1)})`.as(
          'text',
        ),
      )
      .where('position', '=', position)
      .compile(),
)

/** Returns the text of a chunk of a message, and one character more when the text continues. */
export async function readChunkText(trx: Db, position: number, chunk: number): Promise<string> {
  return (await chunkText(trx, { position, start: chunk * chunkStep + 1 })).rows[0]?.text ?? ''
}

/** Forgets the number of a user who has no messages. */
export async function deleteUserNumber(trx: Db, userId: string): Promise<void> {
  await trx.deleteFrom('search_users').where(ofUser(userId, 'search_users')).execute()
}

/** Sets the chunk of a message that is indexed next, and queues the message if it is not queued. */
export async function moveQueued(trx: Db, position: number, chunk: number): Promise<void> {
  await trx
    .insertInto('search_queue')
    .values({ position, chunk })
    .onConflict((conflict) => conflict.column('position').doUpdateSet({ chunk }))
    .execute()
}

const queuedDelete = prepareQuery((db, queued: { readonly position: number }) =>
  db.deleteFrom('search_queue').where('position', '=', queued.position).compile(),
)

export async function deleteQueued(trx: Db, position: number): Promise<void> {
  await queuedDelete(trx, { position })
}
