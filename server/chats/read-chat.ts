import type { Chat, ChatRun } from '@yonder/contract/chat'
import type { Db } from '../db/database.ts'
import type { User } from '../identity/user.ts'
import { requireChat } from './chat-store.ts'
import { listMessages } from './message-store.ts'
import type { Message } from '@yonder/contract/message'
import type { ChatRow, MessageRow } from '../db/tables/tables.ts'
import { presentMessage } from './present-message.ts'

/** Attempts to read a chat and its run in the same state. After them the chat is returned without its run. */
const maxAttempts = 5

/**
 * A user's chat with the messages of its active run so far. Both are read until they agree, so that a client that
 * follows the run from there misses no event and gets none twice (§17.19).
 * @throws AppError `not_found`
 */
export async function readChat(
  db: Db,
  readRun: (chatId: string) => Promise<PartialReply | undefined>,
  user: User,
  chatId: string,
): Promise<Chat> {
  await requireChat(db, user, chatId)
  for (let attempt = 1; ; attempt++) {
    const reply = await readRun(chatId)
    // Read after the run, so that a reply that ended in between is complete.
    const rows = await listMessages(db, chatId)
    const chat = await requireChat(db, user, chatId)
    if (reply === undefined || isSameMoment(reply, rows)) return presentChat(chat, rows, reply)
    if (attempt === maxAttempts) return presentChat(chat, rows, undefined)
  }
}

/** The active run of a chat, with the messages folded from its events. */
export interface PartialReply {
  readonly run: ChatRun
  readonly messages: readonly Message[]
}

/**
 * Whether rows that were read after a run's events agree with them: the run's last message has the same state in both, and
 * no row is below it.
 */
export function isSameMoment({ messages }: PartialReply, rows: readonly MessageRow[]): boolean {
  const last = messages.at(-1)
  const row = rows.findLast(({ id }) => id === last?.id)
  return (
    row !== undefined &&
    row.status === last?.status &&
    (row.call_state ?? undefined) === last.call?.state &&
    !rows.some(({ parent_id }) => parent_id === row.id)
  )
}

/** A chat as its owner reads it (§3.3), with the messages of its run so far in place of their rows. */
export function presentChat(
  chat: ChatRow,
  rows: readonly MessageRow[],
  reply: PartialReply | undefined,
): Chat {
  const runMessages = new Map(reply?.messages.map((message) => [message.id, message]))
  return {
    id: chat.id,
    messages: rows.map((row) => runMessages.get(row.id) ?? presentMessage(row)),
    update_time: new Date(chat.updated_at).toISOString(),
    selected_message_id: chat.selected_message_id,
    run: reply?.run ?? null,
  }
}
