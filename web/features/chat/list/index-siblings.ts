import type { Message } from '@yonder/contract/message'
import { isToolResult } from '../message/is-tool-result.ts'

/** Where a message stands among the messages that a person can choose in its place. */
export interface Siblings {
  /** Oldest first; the message itself is one of them. */
  readonly ids: readonly string[]
  /** Starts at 0. */
  readonly index: number
}

/** Answers for each message of a tree which others answer the same message, or begin the chat like it (§2.35). */
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
