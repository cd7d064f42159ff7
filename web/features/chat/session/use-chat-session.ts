import { useApi } from '../../../lib/api-provider.tsx'
import { ChatSession } from './chat-session.ts'
import { findChatSessions } from './chat-sessions.ts'

/** The one session of a chat, whichever component asks. */
export function useChatSession(chatId: string): ChatSession {
  const api = useApi()
  return findChatSessions(api).getOrCreate(chatId, (isLive) => new ChatSession(chatId, api, isLive))
}
