import type { Chat, ChatRun } from '@yonder/contract/chat'
import type { Db } from '../db/database.ts'
import type { User } from '../identity/user.ts'
import { requireChat } from './chat-store.ts'
import { listMessages } from './message-store.ts'
import type { Message } from '@yonder/contract/message'
import type { ChatRow, MessageRow } from '../db/tables/tables.ts'
import { presentMessage } from './present-message.ts'

/** Looks at a chat that somebody is writing into, before it is given without its run. */
const mostLooks = 5

/**
 * A person's chat with what its run has written so far. Both are read until they show the same moment, so that a reader
 * who follows the run from there misses nothing and gets nothing twice.
 * @throws AppError `not_found`
 */
export async function readChat(
  db: Db,
  readRun: (chatId: string) => Promise<PartialReply | undefined>,
  user: User,
  chatId: string,
): Promise<Chat> {
  await requireChat(db, user, chatId)
  for (let look = 1; ; look++) {
    const reply = await readRun(chatId)
    // Read after the run: what ended in between is whole here.
    const rows = await listMessages(db, chatId)
    const chat = await requireChat(db, user, chatId)
    if (reply === undefined || isSameMoment(reply, rows)) return presentChat(chat, rows, reply)
    if (look === mostLooks) return presentChat(chat, rows, undefined)
  }
}

/** The run that writes into a chat, with the messages as its events tell them. */
export interface PartialReply {
  readonly run: ChatRun
  readonly messages: readonly Message[]
}

/**
 * Whether rows that were read after a run's events show the same moment: what the run wrote last stands in them as its
 * events tell it, and nothing below it.
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

/** A chat as its owner reads it (§3.3), with what a run has written so far, whose rows these are. */
export function presentChat(
  chat: ChatRow,
  rows: readonly MessageRow[],
  reply: PartialReply | undefined,
): Chat {
  const written = new Map(reply?.messages.map((message) => [message.id, message]))
  return {
    id: chat.id,
    messages: rows.map((row) => written.get(row.id) ?? presentMessage(row)),
    update_time: new Date(chat.updated_at).toISOString(),
    selected_message_id: chat.selected_message_id,
    run: reply?.run ?? null,
  }
}
