import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { pieceLength, pieceOverlap, rowIdOf } from './search-store.ts'

/** A piece of a finished message that the index does not hold yet. */
export interface QueuedPiece {
  readonly position: number
  readonly chunk: number
  /** One character more than a piece when the text goes on; null when the message is gone. */
  readonly text: string | null
  readonly user_id: string | null
  /** The person's number in the index, when there is one. */
  readonly user: number | null
}

/** The next piece of the oldest message that waits; `undefined` when none does. */
export function findQueued(db: Db): Promise<QueuedPiece | undefined> {
  const step = pieceLength - pieceOverlap
  return db
    .selectFrom('search_queue as q')
    .leftJoin('messages as m', 'm.position', 'q.position')
    .leftJoin('chats as c', 'c.id', 'm.chat_id')
    .leftJoin('search_users as u', 'u.user_id', 'c.user_id')
    .select([
      'q.position',
      'q.chunk',
      sql<string | null>`substr(m.content, q.chunk * ${sql.lit(step)} + 1, ${sql.lit(pieceLength + 1)})`.as(
        'text',
      ),
      'c.user_id',
      'u.number as user',
    ])
    .orderBy('q.position')
    .limit(1)
    .executeTakeFirst()
}

/** Gives a person a number in the index. */
export async function insertUser(trx: Db, userId: string): Promise<number> {
  const { number } = await trx
    .insertInto('search_users')
    .values({ user_id: userId })
    .returning('number')
    .executeTakeFirstOrThrow()
  return number
}

/** Indexes a piece of a message. */
export async function insertPiece(
  trx: Db,
  place: { readonly user: number; readonly position: number; readonly piece: number },
  grams: string,
): Promise<void> {
  const rowId = sql.raw(rowIdOf(`${place.user}`, `${place.position}`, `${place.piece}`))
  await sql`insert into message_search (rowid, grams) values (${rowId}, ${grams})`.execute(trx)
}

/** Remembers which piece comes next. */
export async function moveQueued(trx: Db, position: number, chunk: number): Promise<void> {
  await trx.updateTable('search_queue').set({ chunk }).where('position', '=', position).execute()
}

export async function deleteQueued(trx: Db, position: number): Promise<void> {
  await trx.deleteFrom('search_queue').where('position', '=', position).execute()
}
