import type { LiveEvent } from '@yonder/contract/live'
import type { ApiClient } from '../../../lib/api-client.ts'
import type { SharedStreamState } from '../../../lib/share-stream.ts'
import { useApi } from '../../../lib/api-provider.tsx'
import { ChatSession } from './chat-session.ts'

/** The sessions of the chats that this page has opened, and the way in for live updates. */
export interface ChatSessions {
  readonly get: (chatId: string) => ChatSession
  readonly receive: (event: LiveEvent) => void
  /** `opening` until it is known whether there are live updates. */
  readonly setLiveState: (state: SharedStreamState | 'opening') => void
}

const sessionsOfClients = new WeakMap<ApiClient, ChatSessions>()

/** The sessions of one sign-in. They live as long as its client. */
export function findChatSessions(api: ApiClient): ChatSessions {
  const sessions = sessionsOfClients.get(api) ?? createChatSessions(api)
  sessionsOfClients.set(api, sessions)
  return sessions
}

/** The one session of a chat, whichever component asks. */
export function useChatSession(chatId: string): ChatSession {
  return findChatSessions(useApi()).get(chatId)
}

function createChatSessions(api: ApiClient): ChatSessions {
  const sessions = new Map<string, ChatSession>()
  let state: SharedStreamState | 'opening' = 'unavailable'
  /** After the first time live updates begin again only where some may have been missed. */
  let wasOpen = false

  return {
    get(chatId) {
      const session = sessions.get(chatId) ?? new ChatSession(chatId, api, () => state !== 'unavailable')
      sessions.set(chatId, session)
      return session
    },
    receive(event) {
      if (event.type === 'ready')
        for (const [chatId, session] of sessions)
          session.receiveLiveReady(
            event.runs.find((run) => run.chatId === chatId),
            wasOpen,
          )
      else if (event.type === 'run')
        sessions.get(event.chatId)?.receiveLiveEvent(event.messageId, event.event)
      else if (event.type === 'chat_changed') sessions.get(event.chatId)?.receiveLiveChange()
    },
    setLiveState(next) {
      state = next
      wasOpen ||= next === 'open'
      if (next !== 'opening') for (const session of sessions.values()) session.setLiveState(next)
    },
  }
}
