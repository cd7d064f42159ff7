import type { Chat } from '@yonder/contract/chat'

/** The chat with the branch of a message selected, as the server selects it (§7.13): the newest message below it. */
export function showBranch(chat: Chat, messageId: string): Chat {
  const below = new Set([messageId])
  let leaf = messageId
  // Messages come oldest first, so a message stands behind its parent.
  for (const { id, parent_id: parent } of chat.messages) {
    if (parent === null || !below.has(parent)) continue
    below.add(id)
    leaf = id
  }
  return { ...chat, selected_message_id: leaf }
}
