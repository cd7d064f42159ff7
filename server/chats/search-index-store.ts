import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { rowIdOf } from './search-store.ts'

/** A finished message that the index does not hold yet, or not whole. */
export interface QueuedMessage {
  readonly position: number
  /** The next piece to index. */
  readonly chunk: number
  readonly content: string
  readonly user_id: string
}

/** The oldest message that waits; `undefined` when none does. A message that is gone has `null` content. */
export async function findQueued(
  db: Db,
): Promise<{ position: number; chunk: number; content: string | null; user_id: string | null } | undefined> {
  return db
    .selectFrom('search_queue as q')
    .leftJoin('messages as m', 'm.position', 'q.position')
    .leftJoin('chats as c', 'c.id', 'm.chat_id')
    .select(['q.position', 'q.chunk', 'm.content', 'c.user_id'])
    .orderBy('q.position')
    .limit(1)
    .executeTakeFirst()
}

/** The number of a person in the index, given at first use. */
export async function requireUserNumber(trx: Db, userId: string): Promise<number> {
  await trx
    .insertInto('search_users')
    .values({ user_id: userId })
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .execute()
  const { number } = await trx
    .selectFrom('search_users')
    .select('number')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return number
}

/** Indexes a piece of a message. */
export async function insertPiece(
  trx: Db,
  place: { readonly user: number; readonly position: number; readonly piece: number },
  text: string,
): Promise<void> {
  const rowId = sql.raw(rowIdOf(`${place.user}`, `${place.position}`, `${place.piece}`))
  await sql`insert into message_search (rowid, content) values (${rowId}, ${text})`.execute(trx)
}

/** Remembers which piece comes next. */
export async function moveQueued(trx: Db, position: number, chunk: number): Promise<void> {
  await trx.updateTable('search_queue').set({ chunk }).where('position', '=', position).execute()
}

export async function deleteQueued(trx: Db, position: number): Promise<void> {
  await trx.deleteFrom('search_queue').where('position', '=', position).execute()
}
