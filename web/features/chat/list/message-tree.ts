import type { Message } from '@yonder/contract/message'
import { continueText, denialText } from '@yonder/contract/message-text'

/** Whether a message carries a tool's result: a user message that names a connector. */
function isToolResult(message: Message): boolean {
  return message.role === 'user' && message.server !== undefined
}

/**
 * The messages from the root to the leaf, tool results included. With an unknown leaf the path is empty. A missing
 * parent or a cycle ends the walk to the root.
 */
export function wholePath(messages: readonly Message[], leafId: string | null): readonly Message[] {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const path: Message[] = []
  let id = leafId
  while (id !== null) {
    const message = byId.get(id)
    if (message === undefined) break
    byId.delete(id)
    path.push(message)
    id = message.parent_id
  }
  return path.reverse()
}

/**
 * The messages that a chat shows: those from the root to the leaf, without tool results, without the messages that only
 * deny a call, which the call shows, and without those that 'Continue' has sent, so that the rest of a reply follows it.
 */
export function visiblePath(messages: readonly Message[], leafId: string | null): readonly Message[] {
  return wholePath(messages, leafId).filter((message, index, path) => {
    const before = path[index - 1]
    return !isToolResult(message) && !isContinuation(message, before) && !isDenial(message, before)
  })
}

function isContinuation({ role, content }: Message, before: Message | undefined): boolean {
  return role === 'user' && before?.finish === 'length' && content === continueText
}

/**
 * Whether a message only denies the tool call before it: it is a decision, and not words of the user in the conversation.
 * In a shared chat the call does not name the message.
 */
function isDenial({ id, role, server, content }: Message, before: Message | undefined): boolean {
  const { state, denied_by } = before?.call ?? {}
  if (role !== 'user' || server !== undefined || (state !== 'waiting' && state !== 'denied')) return false
  return id === denied_by || content === denialText
}

/** Returns a function that finds the message that only denied a call, by the id of the reply that made the call. */
export function indexDenials(messages: readonly Message[]): (replyId: string) => Message | undefined {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const denials = new Map<string, Message>()
  for (const message of messages) {
    const before = message.parent_id === null ? undefined : byId.get(message.parent_id)
    if (before !== undefined && isDenial(message, before)) denials.set(before.id, message)
  }
  return (replyId) => denials.get(replyId)
}

/** Messages rendered as one: a user message, or the replies of a turn, which has several if tools were called. */
export type MessageGroup = readonly [Message, ...Message[]]

export function groupMessages(path: readonly Message[]): readonly MessageGroup[] {
  const groups: [Message, ...Message[]][] = []
  for (const message of path) {
    const last = groups.at(-1)
    if (message.role === 'assistant' && last?.[0].role === 'assistant') last.push(message)
    else groups.push([message])
  }
  return groups
}

/** The versions of a message. */
export interface Siblings {
  /** Oldest first, the message itself included. */
  readonly ids: readonly string[]
  /** The index of the message in `ids`. */
  readonly index: number
}

/** Returns a function that finds the versions of a message: those with the same role and parent. */
export function indexSiblings(messages: readonly Message[]): (message: Message) => Siblings {
  const versions = new Map<string, string[]>()
  for (const message of messages) {
    if (isToolResult(message)) continue
    const ids = versions.get(versionKey(message))
    if (ids === undefined) versions.set(versionKey(message), [message.id])
    else ids.push(message.id)
  }
  return (message) => {
    const ids = versions.get(versionKey(message)) ?? [message.id]
    return { ids, index: ids.indexOf(message.id) }
  }
}

function versionKey({ role, parent_id: parent }: Message): string {
  return parent === null ? role : `${role} ${parent}`
}

/** Returns a function that finds a tool call's result by the id of the reply that made the call. */
export function indexResults(messages: readonly Message[]): (replyId: string) => Message | undefined {
  const results = new Map<string, Message>()
  for (const message of messages)
    if (isToolResult(message) && message.parent_id !== null) results.set(message.parent_id, message)
  return (replyId) => results.get(replyId)
}
