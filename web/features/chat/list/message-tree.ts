import type { Message } from '@yonder/contract/message'

/** Whether a message carries a tool's result: a user message that names a connector (§3.11). */
function isToolResult(message: Message): boolean {
  return message.role === 'user' && message.server !== undefined
}

/**
 * The messages that a chat shows (§4.26): from the root to the leaf, without tool results. An unknown leaf shows nothing. A
 * cycle, which no store should hold, ends the walk.
 */
export function visiblePath(messages: readonly Message[], leafId: string | null): readonly Message[] {
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
  return path.reverse().filter((message) => !isToolResult(message))
}

/** What is drawn as one: a message of the user, or the replies of a turn, which are several where tools were called. */
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
  /** The place of the message among them, from 0. */
  readonly index: number
}

/** Returns a function that finds the messages with the same role and parent as a message (§2.35). */
export function indexSiblings(messages: readonly Message[]): (message: Message) => Siblings {
  const families = new Map<string, string[]>()
  for (const message of messages) {
    if (isToolResult(message)) continue
    const family = families.get(familyOf(message))
    if (family === undefined) families.set(familyOf(message), [message.id])
    else family.push(message.id)
  }
  return (message) => {
    const ids = families.get(familyOf(message)) ?? [message.id]
    return { ids, index: ids.indexOf(message.id) }
  }
}

function familyOf({ role, parent_id: parent }: Message): string {
  return parent === null ? role : `${role} ${parent}`
}

/** Returns a function that finds the result of the tool call of a reply by the reply's id. */
export function indexResults(messages: readonly Message[]): (replyId: string) => Message | undefined {
  const results = new Map<string, Message>()
  for (const message of messages)
    if (isToolResult(message) && message.parent_id !== null) results.set(message.parent_id, message)
  return (replyId) => results.get(replyId)
}
