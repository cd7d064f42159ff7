import type { RunState } from '@yonder/contract/apply-event'
import type { Chat } from '@yonder/contract/chat'
import type { Message } from '@yonder/contract/message'
import type { OutgoingMessage } from './outbox.ts'

/** What a chat shows until the server has confirmed a message (§4.14): the message and an empty reply. Times in milliseconds. */
export function guessSend({ id, parentId, content, botName }: OutgoingMessage, now: number): RunState {
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

/** The same for another reply to a message that is there already (§4.24): an empty one beside those it has. */
export function guessReply(userMessage: Message, botName: string, now: number): RunState {
  return unconfirmed([userMessage, emptyReply(userMessage, `${userMessage.id}_${now}`, botName, now)])
}

/** The same for a tool call that the user has just allowed (§4.20): it is running. */
export function guessCall(messages: readonly Message[], reply: Message): RunState {
  const { changes: _, ...call } = reply.call ?? {}
  const parents = messages.filter(({ id }) => id === reply.parent_id)
  return unconfirmed([...parents, { ...reply, call: { ...call, state: 'running' } }])
}

const unconfirmed = (messages: readonly Message[]): RunState => ({ seq: 0, status: 'running', messages })

function emptyReply(userMessage: Message, name: string, bot: string, now: number): Message {
  return {
    ...timesAt(now),
    id: `${name}_reply`,
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

/** The run that was being written when a chat was read, up to the event `chat.run.seq`. */
export function resumeRun({ messages, run }: Chat): RunState | undefined {
  const first = messages.find(({ id }) => id === run?.message_id)
  if (run === null || first === undefined) return undefined
  const parents = messages.filter(({ id }) => id === first.parent_id)
  // A run writes a chain, and messages come oldest first.
  const written = [first]
  for (const message of messages) if (message.parent_id === written.at(-1)?.id) written.push(message)
  return { seq: run.seq, status: 'running', messages: [...parents, ...written] }
}

/** A chat with the messages of a run: known ones replaced, new ones added, the last one selected. */
export function overlayRun(chat: Chat, messages: readonly Message[]): Chat {
  const leaf = messages.at(-1)
  if (leaf === undefined) return chat
  const fresh = new Map(messages.map((message) => [message.id, message]))
  const known = chat.messages.map((message) => {
    const replacement = fresh.get(message.id)
    fresh.delete(message.id)
    return replacement ?? message
  })
  return { ...chat, messages: [...known, ...fresh.values()], selected_message_id: leaf.id, run: null }
}

/** The chat with the branch of a message selected, as the server selects it (§7.13): the newest message below it. */
export function selectLeaf(chat: Chat, messageId: string): Chat {
  const below = new Set([messageId])
  let leaf = messageId
  // Messages come oldest first, so each comes after its parent.
  for (const { id, parent_id: parent } of chat.messages) {
    if (parent === null || !below.has(parent)) continue
    below.add(id)
    leaf = id
  }
  return { ...chat, selected_message_id: leaf }
}

/** The message that a reply answers: one of the user, or the result of a tool. */
export function findUserMessage(messages: readonly Message[], reply: Message): Message | undefined {
  const byId = new Map(messages.map((message) => [message.id, message]))
  let message: Message | undefined = reply
  while (message !== undefined && message.role !== 'user') {
    // A message is visited once, so that a cycle ends.
    byId.delete(message.id)
    message = message.parent_id === null ? undefined : byId.get(message.parent_id)
  }
  return message
}
