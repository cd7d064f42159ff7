import type { LiveEvent } from '@yonder/contract/live'
import type { ApiClient } from '../../../lib/api/api-client.ts'
import type { SharedStreamState } from '../../../lib/streams/share-stream.ts'
import type { ChatSession } from './chat-session.ts'

/** The sessions of the chats that this page has opened. Passes the live stream to them. */
export interface ChatSessions {
  readonly getOrCreate: (chatId: string, create: () => ChatSession) => ChatSession
  readonly receive: (event: LiveEvent) => void
  /** `opening` until the state of the live stream is known. */
  readonly setStreamState: (state: SharedStreamState | 'opening') => void
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
  let state: SharedStreamState | 'opening' = 'opening'
  /** Whether the stream has reported a state. If not, a `ready` is the first one, before which nothing was missed. */
  let mayHaveMissed = false

  return {
    getOrCreate(chatId, create) {
      const known = sessions.get(chatId)
      if (known !== undefined) return known
      const session = create()
      session.setStreamState(state)
      sessions.set(chatId, session)
      return session
    },
    receive(event) {
      if (event.type === 'ready')
        for (const [chatId, session] of sessions) {
          const run = event.runs.find((one) => one.chatId === chatId)
          session.receive({ type: 'ready', run, mayHaveMissed })
        }
      else if (event.type === 'run')
        sessions.get(event.chatId)?.receive({ type: 'event', replyId: event.messageId, event: event.event })
      else if (event.type === 'run_lost')
        sessions
          .get(event.chatId)
          ?.receive({ type: 'lost', replyId: event.messageId, reason: event.error.message })
      else if (event.type === 'chat_changed') sessions.get(event.chatId)?.receive({ type: 'changed' })
      else if (event.type === 'changed' && event.what === 'names')
        for (const session of sessions.values()) session.receive({ type: 'changed' })
    },
    setStreamState(next) {
      state = next
      mayHaveMissed ||= next !== 'opening'
      for (const session of sessions.values()) session.setStreamState(next)
    },
  }
}
