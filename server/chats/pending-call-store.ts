import type { Db } from '../db/database.ts'
import type { MessageRow } from '../db/tables/tables.ts'
import type { User } from '../identity/user.ts'

export interface PendingCall {
  readonly server: string
  readonly tool: string
  readonly chatId?: string | undefined
  readonly messageId?: string | undefined
}

/** A user's replies whose call of this tool waits for approval, newest first. */
export function listPendingCalls(
  db: Db,
  user: Pick<User, 'id'>,
  { server, tool, chatId, messageId }: PendingCall,
): Promise<MessageRow[]> {
  let query = db
    .selectFrom('messages as m')
    .innerJoin('chats as c', 'c.id', 'm.chat_id')
    .selectAll('m')
    .where('c.user_id', '=', user.id)
    .where('m.call_state', '=', 'waiting')
    .where('m.server', '=', server)
    .where('m.tool', '=', tool)
  if (chatId !== undefined) query = query.where('m.chat_id', '=', chatId)
  if (messageId !== undefined) query = query.where('m.id', '=', messageId)
  return query.orderBy('m.unix_timestamp', 'desc').limit(50).execute()
}

/** Claims a pending call; false when another request has claimed it (§12.7). */
export async function claimPendingCall(
  trx: Db,
  { chat_id, id }: Pick<MessageRow, 'chat_id' | 'id'>,
  state: 'running' | 'denied',
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('messages')
    .set({ call_state: state })
    .where('chat_id', '=', chat_id)
    .where('id', '=', id)
    .where('call_state', '=', 'waiting')
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
