import type { LiveEvent } from '@yonder/contract/live'
import type { ApiClient } from '../../../lib/api/api-client.ts'
import { canReceive, type SharedStreamState } from '../../../lib/streams/share-stream.ts'
import type { ChatSession } from './chat-session.ts'

/**
 * Creates a session; `isLive` returns whether live updates contain the events of runs that this page did not request.
 */
type CreateSession = (isLive: () => boolean) => ChatSession

/** The sessions of the chats that this page has opened. Passes the live updates to them. */
export interface ChatSessions {
  readonly getOrCreate: (chatId: string, create: CreateSession) => ChatSession
  readonly receive: (event: LiveEvent) => void
  /** `opening` until the stream of live updates has reported its state. */
  readonly setLiveState: (state: SharedStreamState | 'opening') => void
}

const sessionsOfClients = new WeakMap<ApiClient, ChatSessions>()

/**
 * Returns the chat sessions of a client, which exist as long as the client. `getOrCreate` takes the function that
 * creates a session, because every signed-in page follows live updates, but only the page of a chat loads the code of a
 * session.
 */
export function findChatSessions(api: ApiClient): ChatSessions {
  const sessions = sessionsOfClients.get(api) ?? createChatSessions()
  sessionsOfClients.set(api, sessions)
  return sessions
}

function createChatSessions(): ChatSessions {
  const sessions = new Map<string, ChatSession>()
  let state: SharedStreamState | 'opening' = 'unavailable'
  /** Whether the stream has reported a state. If not, a `ready` is the first one, before which nothing was missed. */
  let mayHaveMissed = false

  return {
    getOrCreate(chatId, create) {
      const session = sessions.get(chatId) ?? create(() => state === 'opening' || canReceive(state))
      sessions.set(chatId, session)
      return session
    },
    receive(event) {
      if (event.type === 'ready')
        for (const [chatId, session] of sessions)
          session.receiveLiveReady(
            event.runs.find((run) => run.chatId === chatId),
            mayHaveMissed,
          )
      else if (event.type === 'run')
        sessions.get(event.chatId)?.receiveLiveEvent(event.messageId, event.event)
      else if (event.type === 'chat_changed') sessions.get(event.chatId)?.receiveLiveChange()
      else if (event.type === 'changed' && event.what === 'names')
        for (const session of sessions.values()) session.receiveLiveChange()
    },
    setLiveState(next) {
      state = next
      mayHaveMissed ||= next !== 'opening'
      if (next !== 'opening') for (const session of sessions.values()) session.setLiveState(next)
    },
  }
}
