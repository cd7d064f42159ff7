import type { Chat } from '@yonder/contract/chat'
import type { Message } from '@yonder/contract/message'

/** A chat as it stands with the messages of a run laid over it: known ones replaced, new ones added, the last selected. */
export function overlayRun(chat: Chat, messages: readonly Message[]): Chat {
  const leaf = messages.at(-1)
  if (leaf === undefined) return chat
  const fresh = new Map(messages.map((message) => [message.id, message]))
  const kept = chat.messages.map((message) => {
    const replacement = fresh.get(message.id)
    fresh.delete(message.id)
    return replacement ?? message
  })
  return { ...chat, messages: [...kept, ...fresh.values()], selected_message_id: leaf.id }
}
