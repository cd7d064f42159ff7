import type { Chat, ChatRun } from '@yonder/contract/chat'
import type { Message } from '@yonder/contract/message'
import type { ChatRow, MessageRow } from '../db/tables.ts'
import { presentMessage } from './present-message.ts'

/** The run that writes into a chat, with the messages as its events tell them. */
export interface PartialReply {
  readonly run: ChatRun
  readonly messages: readonly Message[]
}

/** A chat as its owner reads it (§3.3), with the text so far of a reply that is being written. */
export function presentChat(
  chat: ChatRow,
  rows: readonly MessageRow[],
  reply: PartialReply | undefined,
): Chat {
  const streaming = new Set(rows.filter((row) => row.status === 'streaming').map((row) => row.id))
  // A run that ended while the rows were read counts as ended: its texts are in them.
  const current = reply !== undefined && streaming.has(reply.run.message_id) ? reply : undefined
  const partial = new Map(
    current?.messages.filter((message) => streaming.has(message.id)).map((message) => [message.id, message]),
  )
  return {
    id: chat.id,
    messages: rows.map((row) => partial.get(row.id) ?? presentMessage(row)),
    update_time: new Date(chat.updated_at).toISOString(),
    selected_message_id: chat.selected_message_id,
    run: current?.run ?? null,
  }
}
