import type { RunState } from '@yonder/contract/apply-event'
import type { Chat } from '@yonder/contract/chat'
import type { Compaction } from '@yonder/contract/compaction'
import { findLastShownLeaf, nextSelectedAt } from '@yonder/contract/lib/last-shown-leaf'
import type { Message } from '@yonder/contract/message'
import { denialText, textOfContent } from '@yonder/contract/message-text'
import type { OutgoingMessage } from './outbox.ts'

/** Returns 128 random bits in hex. `crypto.randomUUID` is missing where the page is not a secure context. */
export function createMessageId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Returns the run that a chat shows until the server has confirmed a new message: the message and an empty
 * reply. `now` is in milliseconds since 1970.
 */
export function optimisticSend({ id, parentId, content, botName }: OutgoingMessage, now: number): RunState {
  const userMessage: Message = {
    ...timesAt(now),
    id,
    parent_id: parentId,
    role: 'user',
    content,
    status: 'complete',
  }
  return unconfirmed([userMessage, emptyReply(userMessage, id, botName, now)])
}

/**
 * Returns the run to show for a reply to an existing message: an empty reply, beside earlier ones if
 * there are any.
 */
export function optimisticReply(userMessage: Message, botName: string, now: number): RunState {
  return unconfirmed([userMessage, emptyReply(userMessage, `${userMessage.id}_${now}`, botName, now)])
}

/** Returns the run to show for a tool call that the user has just approved: the call is running. */
export function optimisticCall(messages: readonly Message[], reply: Message): RunState {
  const { changes: _, ...call } = reply.call ?? {}
  const parents = messages.filter(({ id }) => id === reply.parent_id)
  return unconfirmed([...parents, { ...reply, call: { ...call, state: 'running' } }])
}

/** Returns the run to show while the server checks the arguments of a call that the user has changed. */
export function optimisticWait(messages: readonly Message[], reply: Message): RunState {
  return unconfirmed([...messages.filter(({ id }) => id === reply.parent_id), reply])
}

/** Returns a reply whose call is shown as denied by a message before the server has confirmed it. */
export function deniedBy({ id, content }: OutgoingMessage, reply: Message): Message {
  if (reply.call === undefined) return reply
  const reason = textOfContent(content)
  const why = reason === denialText ? {} : { reason }
  const decision = { kind: 'denied', at: Date.now(), ...why } as const
  return { ...reply, call: { ...reply.call, state: 'denied', denied_by: id, decision } }
}

/** Returns the reply with its call as it was before `deniedBy`, when the server has not taken the denial. */
export function withoutDenial(reply: Message): Message {
  if (reply.call === undefined) return reply
  const { denied_by: _, decision: __, ...call } = reply.call
  return { ...reply, call: { ...call, state: 'waiting' } }
}

const unconfirmed = (messages: readonly Message[]): RunState => ({ seq: 0, status: 'running', messages })

function emptyReply(userMessage: Message, idPrefix: string, bot: string, now: number): Message {
  return {
    ...timesAt(now),
    id: `${idPrefix}_reply`,
    parent_id: userMessage.id,
    role: 'assistant',
    content: '',
    status: 'streaming',
    bot,
  }
}

function timesAt(now: number) {
  return { timestamp: new Date(now).toISOString(), unix_timestamp: now }
}

/** Returns the run that was in progress when a chat was loaded, up to the event `chat.run.seq`, or undefined. */
export function resumeRun({ messages, run }: Chat): RunState | undefined {
  const first = messages.find(({ id }) => id === run?.message_id)
  if (run === null || first === undefined) return undefined
  const parents = messages.filter(({ id }) => id === first.parent_id)
  // The messages of a run form a chain, and the chat lists messages oldest first.
  const written = [first]
  for (const message of messages) if (message.parent_id === written.at(-1)?.id) written.push(message)
  return { seq: run.seq, status: 'running', messages: [...parents, ...written] }
}

/**
 * Adds the messages of a run to a chat: existing ones are replaced, new ones added, and the last one is selected.
 */
export function mergeMessages(chat: Chat, messages: readonly Message[]): Chat {
  const leaf = messages.at(-1)
  if (leaf === undefined) return chat
  const remaining = new Map(messages.map((message) => [message.id, message]))
  const existing = chat.messages.map((message) => {
    const replacement = remaining.get(message.id)
    remaining.delete(message.id)
    return replacement ?? message
  })
  return { ...chat, messages: [...existing, ...remaining.values()], selected_message_id: leaf.id, run: null }
}

/** Adds a summary to a chat; it replaces one that ends with the same message. */
export function addCompaction(chat: Chat, compaction: Compaction): Chat {
  const others = chat.compactions?.filter(({ message_id }) => message_id !== compaction.message_id) ?? []
  return { ...chat, compactions: [...others, compaction] }
}

/**
 * Selects the branch of a message as the server does: the message below it that was shown last becomes
 * the leaf.
 */
export function selectLeaf(chat: Chat, messageId: string): Chat {
  const leaf = findLastShownLeaf(chat.messages, messageId)
  const selectedAt = nextSelectedAt(chat.messages, 0)
  return {
    ...chat,
    messages: chat.messages.map((message) =>
      message.id === leaf ? { ...message, selected_at: selectedAt } : message,
    ),
    selected_message_id: leaf,
  }
}

/** Finds the message before a reply that the model replied to: a message of the user or a tool's result. */
export function findUserMessage(messages: readonly Message[], reply: Message): Message | undefined {
  const byId = new Map(messages.map((message) => [message.id, message]))
  let message: Message | undefined = reply
  while (message !== undefined && message.role !== 'user') {
    // Visit each message only once, so that a cycle ends the loop.
    byId.delete(message.id)
    message = message.parent_id === null ? undefined : byId.get(message.parent_id)
  }
  return message
}

/** Returns how many calls of the same batch come after the call of a reply. */
export function countCallsAfter({ call }: Message): number {
  return call?.place === undefined ? 0 : call.place.total - call.place.index
}
