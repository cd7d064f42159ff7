import { MessageContent } from '@yonder/contract/message'
import type { Queue, QueuedMessage, QueuePause } from '@yonder/contract/queue'
import { requireChat } from '../../chats/chat-store.ts'
import { findMessage, isToolResult } from '../../chats/message-store.ts'
import { parseCall } from '../../chats/tool-call-store.ts'
import type { Database, Db } from '../../db/database.ts'
import { readSnapshot } from '../../db/read-snapshot.ts'
import type { ChatRow, MessageRow } from '../../db/tables/tables.ts'
import type { User } from '../../identity/user.ts'
import { findActiveRun, findLatestRun } from '../log/run-store.ts'
import { listOnPath, listQueued, type QueuedRow } from './queue-store.ts'

/*
 * A message waits after the message `branch_id`, on every branch through it. A chat shows one branch, the one that ends
 * with its selected leaf, and only the queue of that branch goes on: a message that is sent selects its branch, and a user
 * who looks at another one is not taken away from it. The others wait until they are shown again.
 */

/** The queue of the branch that a chat shows, at one moment. */
export interface ShownQueue {
  readonly rows: readonly QueuedRow[]
  /** Whether a reply is being written in the chat. */
  readonly isActive: boolean
  /** Why it does not go on by itself; null too while a reply is written, and when it is empty. */
  readonly paused: QueuePause | null
}

type ShownChat = Pick<ChatRow, 'id' | 'selected_message_id'>

export async function readShown(
  { db, dialect }: Pick<Database, 'db' | 'dialect'>,
  user: Pick<User, 'id'>,
  chat: ShownChat,
): Promise<ShownQueue> {
  const rows = await selectOfBranch(
    db,
    chat.id,
    await listQueued(db, user, chat.id),
    chat.selected_message_id,
  )
  const [first] = rows
  if (first === undefined) return { rows, isActive: false, paused: null }
  if ((await findActiveRun(db, dialect, chat.id)) !== undefined) return { rows, isActive: true, paused: null }
  const leafId = chat.selected_message_id
  const leaf = leafId === null ? undefined : await findMessage(db, chat.id, leafId)
  const paused = findPause(first, leaf)
  // A run that ended right after a result. Nothing in the messages says how.
  if (paused === 'stopped' && leaf !== undefined && isToolResult(leaf)) {
    const run = await findLatestRun(db, dialect, chat.id)
    return { rows, isActive: false, paused: run?.status === 'interrupted' ? 'interrupted' : paused }
  }
  return { rows, isActive: false, paused }
}

/** Returns those of a chat's waiting messages that wait on the branch which ends with `leafId`. */
export async function selectOfBranch(
  db: Db,
  chatId: string,
  rows: readonly QueuedRow[],
  leafId: string | null,
): Promise<readonly QueuedRow[]> {
  if (rows.length === 0) return rows
  const ids = [...new Set(rows.map(({ branch_id }) => branch_id))]
  const onPath = leafId === null ? new Set<string>() : await listOnPath(db, chatId, leafId, ids)
  // What was queued in an empty chat waits on every branch.
  return rows.filter(({ branch_id }) => branch_id === '' || onPath.has(branch_id))
}

/** Returns why a queue with this first message does not go on by itself after a leaf; null when it does. */
function findPause(first: QueuedRow, leaf: MessageRow | undefined): QueuePause | null {
  if (leaf?.call_state === 'waiting') return 'approval'
  if (first.bot === null) return 'no_bot'
  if (first.problem !== null) return 'refused'
  if (leaf === undefined) return null
  if (isToolResult(leaf)) return 'stopped'
  if (leaf.call !== null && parseCall(leaf.call).decision?.kind === 'expired') return 'expired'
  switch (leaf.status) {
    case 'complete':
      return null
    case 'failed':
    case 'stopped':
      return leaf.status
    default:
      return 'interrupted'
  }
}

/**
 * Reads the queue of the branch that a user's chat shows.
 * @throws AppError `not_found`
 */
export function readQueue(database: Database, user: User, chatId: string): Promise<Queue> {
  return readSnapshot(database, async (snapshot) => {
    const chat = await requireChat(snapshot.db, user, chatId)
    const { rows, paused } = await readShown(snapshot, user, chat)
    const reason = paused === 'refused' ? rows[0]?.problem : undefined
    return {
      messages: rows.map(presentQueued),
      paused,
      ...(typeof reason === 'string' && { reason }),
    }
  })
}

function presentQueued(row: QueuedRow): QueuedMessage {
  return {
    id: row.id,
    content: contentOfQueued(row),
    bot: row.bot,
    steers: row.steers === 1,
    created_at: new Date(row.created_at).toISOString(),
  }
}

export function contentOfQueued({ content }: Pick<QueuedRow, 'content'>): MessageContent {
  return MessageContent.parse(JSON.parse(content))
}
