import { useApi } from '../../../lib/api/api-provider.tsx'
import { ChatSession } from './chat-session.ts'
import { findChatSessions } from './chat-sessions.ts'

/** Returns the session of a chat, which all components share. */
export function useChatSession(chatId: string): ChatSession {
  const api = useApi()
  return findChatSessions(api).getOrCreate(chatId, () => new ChatSession(chatId, api))
}
