import type { NewChat } from '@yonder/contract/chat'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useNavigate } from 'react-router'
import { explainRequestError } from '../../lib/api-error.ts'
import { useApi } from '../../lib/api-provider.tsx'
import { browserStorage } from '../../lib/browser-storage.ts'
import { logError } from '../../lib/log-error.ts'
import { storageKeys } from './chat-storage.ts'
import { homeOutbox, type HomeMessage, type SendAttempt } from './session/home-outbox.ts'
import { firstMessage } from './session/outbox.ts'
import { createMessageId } from './session/run-messages.ts'

export interface StartChat {
  readonly isStarting: boolean
  /** The messages that were not sent, oldest first. */
  readonly unsent: readonly HomeMessage[]
  readonly start: (content: string, botName: string) => void
  readonly sendAgain: (message: HomeMessage, botName: string) => void
}

/**
 * Opens a new chat with its first message (§2.21): stores the message, requests the id of a chat, and navigates to its
 * page, which sends the message (§4.12, §8.12, §10.26).
 */
export function useStartChat(): StartChat {
  const api = useApi()
  const navigate = useNavigate()
  const [isStarting, setStarting] = useState(false)
  const current = useRef<SendAttempt>(undefined)
  const messages = useSyncExternalStore(homeOutbox.subscribe, homeOutbox.list)

  useEffect(() => {
    homeOutbox.failAbandoned()
    return () => {
      if (current.current?.isActive() === true)
        current.current.fail('You opened another page before the message was sent.')
    }
  }, [])
  useEffect(() => {
    const changed = new AbortController()
    homeOutbox.watchOtherPages(messages, changed.signal)
    return () => changed.abort()
  }, [messages])

  const send = async (message: Pick<HomeMessage, 'request' | 'content' | 'botName'>) => {
    const { request, content, botName } = message
    const attempt = homeOutbox.begin({ request, content, botName })
    current.current = attempt
    setStarting(true)
    try {
      const chat = await api.get<NewChat>(`/api/chat/id?request=${request}`)
      if (chat === undefined) attempt.fail('You were signed out before the message was sent.')
      // Another page is open, and this chat must not take its place.
      else if (attempt.isActive()) {
        attempt.handOver(chat.id)
        current.current = undefined
        firstMessage.store(chat.id, content, botName)
        await navigate(`/chat/${encodeURIComponent(chat.id)}`)
      }
    } catch (error) {
      logError('Error creating chat with message', error)
      attempt.fail(explainRequestError(error))
    } finally {
      setStarting(false)
    }
  }

  return {
    isStarting,
    unsent: messages.filter(({ failure }) => failure !== undefined),
    start: (content, botName) => void send({ request: takeRequest(), content, botName }),
    sendAgain: ({ request, content }, botName) => {
      // Another tab may have sent it, or be sending it at this moment.
      if (homeOutbox.isUnsent(request)) void send({ request, content, botName })
    },
  }
}

/** Returns the request of a message that was edited before its chat was opened, or a new one. */
function takeRequest(): string {
  const request = browserStorage.read(storageKeys.homeRequest)
  browserStorage.remove(storageKeys.homeRequest)
  return request ?? createMessageId()
}
