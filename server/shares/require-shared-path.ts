import { listWholePath } from '../chats/message-store.ts'
import type { Db } from '../db/database.ts'
import type { MessageRow } from '../db/tables/tables.ts'
import { AppError } from '../lib/app-error.ts'
import { findShare } from './share-store.ts'

/**
 * The messages behind a link, oldest first. A link that was revoked is not there any more, so it is answered as one that
 * never was: by the same look-up, in the same time.
 * @throws AppError `not_found`
 */
export async function requireSharedPath(db: Db, shareId: string): Promise<MessageRow[]> {
  const share = await findShare(db, shareId)
  const path = share === undefined ? [] : await listWholePath(db, share.chat_id, share.message_id)
  if (path.length === 0) throw new AppError('not_found', 'There is no such shared chat.')
  return path
}
