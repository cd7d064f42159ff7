import { CompiledQuery, sql } from 'kysely'
import { everyChatOf, ofUser } from '../../access/access.ts'
import type { Db } from '../../db/database.ts'
import { prepareQuery } from '../../db/dialects/prepare-query.ts'
import { searchableSql } from '../../db/dialects/searchable-sql.ts'
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

const step = chunkLength - chunkOverlap

const queuedChunks = prepareQuery((db, { limit }: { readonly limit: number }) =>
  db
    .selectFrom('search_queue as q')
    .leftJoin('messages as m', 'm.position', 'q.position')
    .leftJoin('chats as c', 'c.id', 'm.chat_id')
    .leftJoin('search_users as u', 'u.user_id', 'c.user_id')
    .select([
      'q.position',
      'q.chunk',
      sql<string | null>`substr(m.content, q.chunk * ${sql.lit(step)} + 1, ${sql.lit(chunkLength + 1)})`.as(
        'text',
      ),
      'c.user_id',
      'u.number as user',
    ])
    .orderBy('q.position')
    .limit(limit)
    .compile(),
)

/** Returns the next chunk of each of the oldest queued messages. */
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

/** A finished message, which is indexed or queued. */
export interface SearchableMessage {
  readonly position: number
  readonly content: string
  /** The chunk at which indexing it continues; null when it is indexed. */
  readonly next_chunk: number | null
}

/**
 * Returns finished messages of a user's chats, without results of tools, in the order of writing: at most `limit`,
 * after the position `after`.
 */
export function listSearchable(
  trx: Db,
  userId: string,
  after: number,
  limit: number,
): Promise<SearchableMessage[]> {
  return trx
    .selectFrom('messages as m')
    .innerJoin('chats as c', 'c.id', 'm.chat_id')
    .leftJoin('search_queue as q', 'q.position', 'm.position')
    .select(['m.position', 'm.content', 'q.chunk as next_chunk'])
    .where(everyChatOf(userId, 'chats as c'))
    .where('m.position', '>', after)
    .where(sql<boolean>`${sql.raw(searchableSql('m'))}`)
    .orderBy('m.position')
    .limit(limit)
    .execute()
}

export async function findUserNumber(trx: Db, userId: string): Promise<number | undefined> {
  const row = await trx
    .selectFrom('search_users')
    .select('number')
    .where(ofUser(userId, 'search_users'))
    .executeTakeFirst()
  return row?.number
}

export async function deleteUserNumber(trx: Db, userId: string): Promise<void> {
  await trx.deleteFrom('search_users').where(ofUser(userId, 'search_users')).execute()
}

/** Sets the chunk of a queued message that is indexed next. */
export async function moveQueued(trx: Db, position: number, chunk: number): Promise<void> {
  await trx.updateTable('search_queue').set({ chunk }).where('position', '=', position).execute()
}

const queuedDelete = prepareQuery((db, queued: { readonly position: number }) =>
  db.deleteFrom('search_queue').where('position', '=', queued.position).compile(),
)

export async function deleteQueued(trx: Db, position: number): Promise<void> {
  await queuedDelete(trx, { position })
}
