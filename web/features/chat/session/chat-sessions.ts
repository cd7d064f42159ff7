import type { LiveEvent } from '@yonder/contract/live'
import type { ApiClient } from '../../../lib/api-client.ts'
import type { SharedStreamState } from '../../../lib/share-stream.ts'
import type { ChatSession } from './chat-session.ts'

/** Creates a session; `isLive` returns whether live updates carry the events of runs that this page did not request. */
type CreateSession = (isLive: () => boolean) => ChatSession

/** The sessions of the chats that this page has opened, and the way in for live updates. */
export interface ChatSessions {
  readonly getOrCreate: (chatId: string, create: CreateSession) => ChatSession
  readonly receive: (event: LiveEvent) => void
  /** `opening` until it is known whether there are live updates. */
  readonly setLiveState: (state: SharedStreamState | 'opening') => void
}

const sessionsOfClients = new WeakMap<ApiClient, ChatSessions>()

/**
 * The sessions of one sign-in. They live as long as its client. What creates a session is passed in, since every
 * signed-in page follows live updates, and only a chat's page needs the code of a session.
 */
export function findChatSessions(api: ApiClient): ChatSessions {
  const sessions = sessionsOfClients.get(api) ?? createChatSessions()
  sessionsOfClients.set(api, sessions)
  return sessions
}

function createChatSessions(): ChatSessions {
  const sessions = new Map<string, ChatSession>()
  let state: SharedStreamState | 'opening' = 'unavailable'
  /** After the first time live updates begin again only where some may have been missed. */
  let wasOpen = false

  return {
    getOrCreate(chatId, create) {
      const session = sessions.get(chatId) ?? create(() => state !== 'unavailable')
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
