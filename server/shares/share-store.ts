import { maxTitleSourceChars } from '@yonder/contract/message-text'
import { type Actor, changeable, notDeleted, readable } from '../access/access.ts'
import type { Db } from '../db/database.ts'
import type { MessageRow, ShareRow } from '../db/tables/tables.ts'

/** Stores a link. A message that has one keeps it, with this change. Returns the message's link. */
export async function insertShare(
  db: Db,
  share: ShareRow,
  change: Partial<Pick<ShareRow, 'files'>> = {},
): Promise<Pick<ShareRow, 'id' | 'files'>> {
  return (
    db
      .insertInto('shares')
      .values({ ...share, ...change })
      // This update changes nothing, but makes the statement return an existing row too.
      .onConflict((conflict) =>
        conflict.columns(['chat_id', 'message_id']).doUpdateSet({ message_id: share.message_id, ...change }),
      )
      .returning(['id', 'files'])
      .executeTakeFirstOrThrow()
  )
}

export async function isShared(db: Db, chatId: string, messageId: string): Promise<boolean> {
  const row = await db
    .selectFrom('shares')
    .select('id')
    .where('chat_id', '=', chatId)
    .where('message_id', '=', messageId)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns the number of a user's links that work: those of deleted chats are off, and cannot be revoked. */
export async function countShares(db: Db, actor: Actor): Promise<number> {
  const { count } = await db
    .selectFrom('shares')
    .select(({ fn }) => fn.countAll().as('count'))
    .where(readable(actor, 'shares'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Stores a link. If there is one with this id already, it then leads to the given message. */
export async function upsertShare(db: Db, share: ShareRow): Promise<void> {
  const { chat_id, message_id } = share
  await db
    .insertInto('shares')
    .values(share)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ chat_id, message_id }))
    .execute()
}

/** Finds a link. The links of a disabled user and of a deleted chat are not found. */
export function findShare(db: Db, id: string): Promise<ShareRow | undefined> {
  return db
    .selectFrom('shares as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .innerJoin('chats as c', 'c.id', 's.chat_id')
    .selectAll('s')
    .where('s.id', '=', id)
    .where(notDeleted('chats as c'))
    .where('u.disabled_at', 'is', null)
    .executeTakeFirst()
}

export type ListedShare = Pick<ShareRow, 'id' | 'created_at' | 'files'> & { readonly first_text: string }

/** Returns a user's links, newest first, each with the beginning of its first message. */
export function listShares(db: Db, actor: Actor): Promise<ListedShare[]> {
  return db
    .selectFrom('shares as s')
    .innerJoin('messages as leaf', (join) =>
      join.onRef('leaf.chat_id', '=', 's.chat_id').onRef('leaf.id', '=', 's.message_id'),
    )
    .innerJoin('messages as first', (join) =>
      join.onRef('first.chat_id', '=', 's.chat_id').onRef('first.id', '=', 'leaf.first_id'),
    )
    .select((eb) => [
      's.id',
      's.created_at',
      's.files',
      eb
        .fn<MessageRow['content']>('substr', ['first.content', eb.val(1), eb.lit(maxTitleSourceChars)])
        .as('first_text'),
    ])
    .where(readable(actor, 'shares as s'))
    .orderBy('s.created_at', 'desc')
    .orderBy('s.id')
    .execute()
}

/** Returns false when the user has no such link. */
export async function updateShare(
  db: Db,
  actor: Actor,
  id: string,
  change: Pick<ShareRow, 'files'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('shares')
    .set(change)
    .where('id', '=', id)
    .where(changeable(actor, 'shares'))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes a link. Returns false when the user has no such link. */
export async function deleteShare(db: Db, actor: Actor, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('shares')
    .where('id', '=', id)
    .where(changeable(actor, 'shares'))
    .executeTakeFirst()
  return numDeletedRows > 0n
}
