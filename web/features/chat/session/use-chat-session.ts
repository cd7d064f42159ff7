import type { ApiClient } from '../../../lib/api/api-client.ts'
import { useApi } from '../../../lib/api/api-provider.tsx'
import { ChatSession } from './chat-session.ts'

/** The sessions of the chats that a client has opened, by the id of the chat. They exist as long as the client. */
const sessionsOfClients = new WeakMap<ApiClient, Map<string, ChatSession>>()

/** Returns the session of a chat, which all components share. */
export function useChatSession(chatId: string): ChatSession {
  const api = useApi()
  const sessions = sessionsOfClients.get(api) ?? new Map<string, ChatSession>()
  sessionsOfClients.set(api, sessions)
  const session = sessions.get(chatId) ?? new ChatSession(chatId, api)
  sessions.set(chatId, session)
  return session
}
