import type { Message } from '@yonder/contract/message'

/** What is drawn as one: a message of the user, or the replies of a turn, which follow one another where tools were called. */
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
