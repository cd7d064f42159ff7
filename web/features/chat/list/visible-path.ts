import type { Message } from '@yonder/contract/message'
import { isToolResult } from '../message/is-tool-result.ts'

/**
 * The messages a chat shows (§4.26): from the root to the leaf, without the results of tools. An unknown leaf shows
 * nothing; a cycle, which no store should hold, ends the walk instead of the page.
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
