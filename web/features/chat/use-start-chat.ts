import type { NewChat } from '@yonder/contract/chat'
import type { MessageContent } from '@yonder/contract/message'
import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react'
import { useNavigate } from 'react-router'
import { toFailure, isOutage } from '../../lib/api/api-error.ts'
import { useApi } from '../../lib/api/api-provider.tsx'
import { onConnectionBack } from '../../lib/api/connection.ts'
import { browserStorage } from '../../lib/browser-storage.ts'
import { logError } from '../../lib/log-error.ts'
import { storageKeys } from './chat-storage.ts'
import { AutomaticSends } from './session/automatic-sends.ts'
import { homeOutbox, type HomeMessage, type SendAttempt } from './session/home-outbox.ts'
import { firstMessage } from './session/outbox.ts'
import { createMessageId } from './session/run-messages.ts'

type UnsentHomeMessage = HomeMessage & Required<Pick<HomeMessage, 'failure'>>

export interface StartChat {
  readonly isStarting: boolean
  /** The messages that were not sent, in the order of their last attempts. */
  readonly unsent: readonly UnsentHomeMessage[]
  /**
   * The message that is sent without a click after an outage: only the newest one, because sending it opens its chat.
   */
  readonly automatic: HomeMessage | undefined
  readonly start: (content: MessageContent, botName: string) => void
  readonly sendAgain: (message: HomeMessage, botName: string) => void
}

/**
 * Opens a new chat with its first message: stores the message, requests the id of a chat, and navigates to its
 * page, which sends the message.
 */
export function useStartChat(): StartChat {
  const api = useApi()
  const navigate = useNavigate()
  const [isStarting, setStarting] = useState(false)
  const lastAttempt = useRef<SendAttempt>(undefined)
  const messages = useSyncExternalStore(homeOutbox.subscribe, homeOutbox.list)

  useEffect(() => {
    homeOutbox.failAbandoned()
    return () => {
      if (lastAttempt.current?.isActive() === true) lastAttempt.current.fail({ cause: 'page_left' })
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
    lastAttempt.current = attempt
    setStarting(true)
    try {
      const chat = await api.get<NewChat>(`/api/chat/id?request=${request}`)
      if (chat === undefined) attempt.fail({ cause: 'signed_out' })
      // The attempt has failed if the user has left the home page. The new chat must not replace the page that is open
      // now.
      else if (attempt.isActive()) {
        attempt.handOver(chat.id)
        lastAttempt.current = undefined
        firstMessage.store(chat.id, content, botName)
        await navigate(`/chat/${encodeURIComponent(chat.id)}`)
      }
    } catch (error) {
      logError('Error creating chat with message', error)
      attempt.fail(toFailure(error))
    } finally {
      setStarting(false)
    }
  }

  const sendAgain = ({ request, content }: HomeMessage, botName: string) => {
    // Another tab may have sent it, or be sending it at this moment.
    if (homeOutbox.isUnsent(request)) void send({ request, content, botName })
  }
  const automatic = messages.findLast(({ failure }) => failure !== undefined && isOutage(failure))
  useAutomaticSends(() => (isStarting ? undefined : automatic), sendAgain)

  return {
    isStarting,
    unsent: messages.filter((message): message is UnsentHomeMessage => message.failure !== undefined),
    automatic,
    start: (content, botName) => void send({ request: takeRequestId(), content, botName }),
    sendAgain,
  }
}

/** When the connection is back, sends the message that could not be sent without it. */
function useAutomaticSends(
  find: () => HomeMessage | undefined,
  send: (message: HomeMessage, botName: string) => void,
): void {
  const { connection } = useApi()
  const [sends] = useState(() => new AutomaticSends(connection))
  const handleBack = useEffectEvent(() => {
    const message = find()
    if (message?.failure !== undefined && sends.claim(message.request, message.failure))
      send(message, message.botName)
  })
  useEffect(() => onConnectionBack(connection, () => handleBack()), [connection])
}

/**
 * Returns a new request id, or the one of a message that was moved back into the input: its chat may be reserved
 * already.
 */
function takeRequestId(): string {
  const request = browserStorage.read(storageKeys.homeRequest)
  browserStorage.remove(storageKeys.homeRequest)
  return request ?? createMessageId()
}
