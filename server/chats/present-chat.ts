import type { Chat, ChatRun } from '@yonder/contract/chat'
import type { Message } from '@yonder/contract/message'
import type { ChatRow, MessageRow } from '../db/tables/tables.ts'
import { presentMessage } from './present-message.ts'

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
