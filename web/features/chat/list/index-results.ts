import type { Message } from '@yonder/contract/message'
import { isToolResult } from '../message/is-tool-result.ts'

/** Answers for the id of a reply the result of the call that it makes. */
export function indexResults(messages: readonly Message[]): (replyId: string) => Message | undefined {
  const results = new Map<string, Message>()
  for (const message of messages)
    if (isToolResult(message) && message.parent_id !== null) results.set(message.parent_id, message)
  return (replyId) => results.get(replyId)
}
