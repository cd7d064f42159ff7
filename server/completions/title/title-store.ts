import { foldText } from '@yonder/contract/lib/fold-text'
import { type Actor, changeable, readable } from '../../access/access.ts'
import type { Db } from '../../db/database.ts'
import type { MessageRow } from '../../db/tables/tables.ts'

/** Selects a chat `c`, unless it has a title, is deleted, or its user was disabled. */
function selectUntitled(db: Db, actor: Actor, chatId: string) {
  return db
    .selectFrom('chats as c')
    .innerJoin('users as u', 'u.id', 'c.user_id')
    .where('c.id', '=', chatId)
    .where(readable(actor, 'chats as c'))
    .where('c.title_source', 'is', null)
    .where('u.disabled_at', 'is', null)
}

/** Whether a title that a model writes for this chat could still be stored. */
export async function awaitsTitle(db: Db, actor: Actor, chatId: string): Promise<boolean> {
  return (await selectUntitled(db, actor, chatId).select('c.id').executeTakeFirst()) !== undefined
}

/**
 * Returns the beginning of the message with which the path of a reply begins. Undefined unless the chat awaits a title
 * and no other reply in it has a text: then a title was requested for that one.
 */
export function findOpening(
  db: Db,
  actor: Actor,
  {
    chatId,
    replyId,
    maxChars,
  }: { readonly chatId: string; readonly replyId: string; readonly maxChars: number },
): Promise<Pick<MessageRow, 'content' | 'files'> | undefined> {
  return selectUntitled(db, actor, chatId)
    .innerJoin('messages as reply', (join) =>
      join.onRef('reply.chat_id', '=', 'c.id').on('reply.id', '=', replyId),
    )
    .innerJoin('messages as first', (join) =>
      join.onRef('first.chat_id', '=', 'c.id').onRef('first.id', '=', 'reply.first_id'),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('messages as other')
            .select('other.id')
            .whereRef('other.chat_id', '=', 'c.id')
            .where('other.role', '=', 'assistant')
            .where('other.content', '<>', '')
            .where('other.id', '<>', replyId),
        ),
      ),
    )
    .select(({ fn, val, lit }) => [
      fn<string>('substr', ['first.content', lit(1), val(maxChars)]).as('content'),
      'first.files',
    ])
    .executeTakeFirst()
}

/** Stores a title that a model wrote. Returns false when the chat has one by now, or is deleted. */
export async function storeModelTitle(db: Db, actor: Actor, chatId: string, title: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('chats')
    .set({ title, title_key: foldText(title), title_source: 'model' })
    .where('id', '=', chatId)
    .where(changeable(actor, 'chats'))
    .where('title_source', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
