import type { Message } from '@yonder/contract/message'

/** A user message that names a connector carries a tool's result (§3.11). */
export function isToolResult(message: Message): boolean {
  return message.role === 'user' && message.server !== undefined
}
