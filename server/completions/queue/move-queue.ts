import type { Db } from '../../db/database.ts'
import type { ChatRow } from '../../db/tables/tables.ts'
import type { User } from '../../identity/user.ts'
import { listOnPath, listQueued, moveQueued } from './queue-store.ts'

/**
 * Lets what waits after the shown reply to `parentId` wait after another reply to it. The chat is locked, and as it was
 * before that reply was selected.
 */
export async function moveQueue(
  trx: Db,
  user: Pick<User, 'id'>,
  { id: chatId, selected_message_id: leafId }: Pick<ChatRow, 'id' | 'selected_message_id'>,
  parentId: string,
  replyId: string,
): Promise<void> {
  if (leafId === null) return
  const queued = await listQueued(trx, user, chatId)
  const branches = [...queued.map(({ branch_id }) => branch_id), parentId]
  const shown = await listOnPath(trx, chatId, leafId, branches)
  const above = await listOnPath(trx, chatId, parentId, branches)
  if (!shown.has(parentId)) return
  const moved = queued.filter(({ branch_id }) => shown.has(branch_id) && !above.has(branch_id))
  await moveQueued(
    trx,
    chatId,
    moved.map(({ id }) => id),
    replyId,
  )
}
