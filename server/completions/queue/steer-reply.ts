import { lockChatOnly } from '../../chats/chat-store.ts'
import { listKnownMessages } from '../../chats/message-store.ts'
import type { Database } from '../../db/database.ts'
import type { User } from '../../identity/user.ts'
import { hasSteering, listOnPath, listQueued, takeQueued, type QueuedRow } from './queue-store.ts'

/** The place in a running reply at which messages of the user may go into it. */
interface SteeringPlace {
  readonly user: Pick<User, 'id'>
  readonly chatId: string
  readonly runId: number
  /** The reply that made the last call. Its result is not stored yet. */
  readonly replyId: string
}

/**
 * Takes the messages that wait for the next step of a reply, in the order of sending. From then on they cannot be changed
 * or taken back, so the run must add them with its next commit, which deletes their rows. If the node is killed before
 * that, they wait again as soon as the run is ended.
 */
export async function takeSteering(
  { db }: Pick<Database, 'db'>,
  { user, chatId, runId, replyId }: SteeringPlace,
): Promise<readonly QueuedRow[]> {
  if (!(await hasSteering(db, chatId))) return []
  return db.transaction().execute(async (trx) => {
    await lockChatOnly(trx, user, chatId)
    const steering = (await listQueued(trx, user, chatId)).filter(({ steers }) => steers === 1)
    const branches = steering.map(({ branch_id }) => branch_id)
    const onPath = await listOnPath(trx, chatId, replyId, branches)
    // One that was also sent in another way is noticed when its turn comes.
    const known = await listKnownMessages(
      trx,
      chatId,
      steering.map(({ id }) => id),
    )
    const taken = steering.filter(
      ({ id, branch_id }) => (branch_id === '' || onPath.has(branch_id)) && !known.has(id),
    )
    const ids = taken.map(({ id }) => id)
    if (ids.length > 0) await takeQueued(trx, chatId, ids, runId)
    return taken
  })
}
