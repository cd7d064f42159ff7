import type { StartedEvent } from '../completion.ts'
import type { Message } from '../message.ts'

/** A complete user message on the wire. A test names only the fields that it is about. */
export function wireMessage(fields: Partial<Message> = {}): Message {
  return {
    id: 'question',
    parent_id: null,
    role: 'user',
    content: '',
    timestamp: '2026-01-01T00:00:00.000Z',
    unix_timestamp: 1,
    status: 'complete',
    ...fields,
  }
}

/** A reply that is still empty, to the message of `wireMessage`. */
export function wireReply(fields: Partial<Message> = {}): Message {
  return wireMessage({
    id: 'reply',
    parent_id: 'question',
    role: 'assistant',
    status: 'streaming',
    unix_timestamp: 2,
    ...fields,
  })
}

/** The first event of a run: a user message and its empty reply. */
export function startedEvent(
  messages: { readonly question?: Partial<Message>; readonly reply?: Partial<Message> } = {},
): StartedEvent {
  return {
    type: 'started',
    seq: 1,
    user_message: wireMessage(messages.question),
    assistant_message: wireReply(messages.reply),
  }
}
