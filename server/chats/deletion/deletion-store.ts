import { sql } from 'kysely'
import { everyChatOf } from '../../access/access.ts'
import type { Db } from '../../db/database.ts'

/** Chats that one statement changes. More would delay the commits of replies that are being written. */
const maxChangedChats = 500
/** Events of runs that one statement deletes. */
const maxDeletedEvents = 500

/**
 * Marks some of the chats that were deleted before `before` (milliseconds since 1970) as deleted for good, and returns
 * whether there may be more.
 */
export async function markExpired(db: Db, before: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('chats')
    .set({ deleted_at: 0 })
    .where('id', 'in', (expired) =>
      expired
        .selectFrom('chats')
        .select('id')
        .where('deleted_at', '>', 0)
        .where('deleted_at', '<', before)
        .limit(maxChangedChats),
    )
    .executeTakeFirstOrThrow()
  return numUpdatedRows === BigInt(maxChangedChats)
}

/** Marks some of a user's chats as deleted for good, and returns whether there may be more. */
export async function markAllOfUser(db: Db, userId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('chats')
    .set({ deleted_at: 0 })
    .where('id', 'in', (kept) =>
      kept
        .selectFrom('chats')
        .select('id')
        .where(everyChatOf(userId, 'chats'))
        .where('deleted_at', 'is distinct from', 0)
        .limit(maxChangedChats),
    )
    .executeTakeFirstOrThrow()
  return numUpdatedRows === BigInt(maxChangedChats)
}

/**
 * Returns the id of a chat that is deleted for good, of one user or of any. A chat with a running reply waits until that
 * has ended.
 */
export async function findPurged(trx: Db, userId: string | undefined): Promise<string | undefined> {
  const row = await trx
    .selectFrom('chats as c')
    .select('c.id')
    .where('c.deleted_at', '=', 0)
    .$if(userId !== undefined, (query) => query.where(everyChatOf(userId ?? '', 'chats as c')))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('runs')
            .select('runs.id')
            .whereRef('runs.chat_id', '=', 'c.id')
            .where('runs.status', '=', sql.lit('running')),
        ),
      ),
    )
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/** Deletes some events of a chat's runs. Returns false when there were none. */
export async function deleteRunEvents(trx: Db, chatId: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from run_events where (run_id, seq) in (
      select e.run_id, e.seq from runs r join run_events e on e.run_id = r.id
      where r.chat_id = ${chatId} limit ${maxDeletedEvents})`.execute(trx)
  return numAffectedRows > 0n
}

/** Deletes a chat whose messages are deleted. */
export async function deleteChat(trx: Db, chatId: string): Promise<void> {
  await trx.deleteFrom('chats').where('id', '=', chatId).execute()
}
