import { textOfContent } from '@yonder/contract/message-text'
import { useStore } from '../../lib/store.ts'
import { referenceTitle } from './contents/reference-title.ts'
import { useChatSession } from './session/use-chat-session.ts'

/**
 * The title of a chat: its first message, cut to one short line. Undefined until the chat is loaded and has a message
 * (§14.22).
 */
export function useChatTitle(chatId: string): string | undefined {
  const first = useStore(useChatSession(chatId).view, ({ chat }) => chat?.messages[0])
  return first && (referenceTitle(textOfContent(first.content)) || undefined)
}
