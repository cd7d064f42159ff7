import type { NewChat as ReservedChat } from '@yonder/contract/chat'
import type { MessageContent } from '@yonder/contract/message'
import {
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useRef,
  useState,
  useSyncExternalStore,
  type Ref,
} from 'react'
import { useNavigate } from 'react-router'
import { isNotFound, isOutage, toFailure } from '../../lib/api/api-error.ts'
import { useApi } from '../../lib/api/api-provider.tsx'
import { onConnectionBack } from '../../lib/api/connection.ts'
import { browserStorage } from '../../lib/browser-storage.ts'
import { logError } from '../../lib/log-error.ts'
import { clearDraft } from './chat-storage.ts'
import type { BotChoice } from './composer/bot-select.tsx'
import { Composer, focusInput } from './composer/composer.tsx'
import { UnsentNote } from './composer/unsent-note.tsx'
import { homeOutbox, type HomeMessage } from './session/home-outbox.ts'
import { AutomaticSends, firstMessage } from './session/outbox.ts'
import { createMessageId } from './session/run-messages.ts'

export interface NewChatProps {
  readonly choice: BotChoice
  /** The storage key of the text until it is sent. */
  readonly draftKey: string
  /** The id of the project in which the chat begins. */
  readonly project?: string | undefined
  /** Called when there is no such project. */
  readonly onProjectGone?: (() => void) | undefined
  /** The text area. */
  readonly ref?: Ref<HTMLTextAreaElement>
}

/**
 * The input for the first message of a new chat, and the messages that were not sent: in a project its own, elsewhere
 * all.
 */
export function NewChat({ choice, draftKey, project, onProjectGone, ref }: NewChatProps) {
  const place = { draftKey, project, onProjectGone }
  const { isStarting, unsent, automatic, start, sendAgain } = useStartChat(place)
  const input = useRef<HTMLTextAreaElement>(null)
  useImperativeHandle(ref, () => input.current as HTMLTextAreaElement, [])
  return (
    <div className="flex flex-col gap-4">
      <Composer ref={input} choice={choice} draftKey={draftKey} busy={isStarting} keepsText onSend={start} />
      {unsent.map((message) => (
        <UnsentNote
          key={message.request}
          content={message.content}
          failure={message.failure}
          isAutomatic={message === automatic}
          busy={isStarting}
          onSendAgain={() => sendAgain(message, choice.selected?.name ?? message.botName)}
          onEdit={() => homeOutbox.edit(message, draftKey)}
          onRemoved={() => focusInput(input.current)}
        />
      ))}
    </div>
  )
}

type UnsentHomeMessage = HomeMessage & Required<Pick<HomeMessage, 'failure'>>

/**
 * Opens a new chat with its first message: stores the message, requests the id of a chat, and navigates to its
 * page, which sends the message.
 */
function useStartChat({
  draftKey,
  project,
  onProjectGone,
}: Pick<NewChatProps, 'draftKey' | 'project' | 'onProjectGone'>) {
  const api = useApi()
  const navigate = useNavigate()
  const [isStarting, setStarting] = useState(false)
  /** The message for which this page is reserving a chat. */
  const reserving = useRef<HomeMessage>(undefined)
  const stored = useSyncExternalStore(browserStorage.subscribe, () => JSON.stringify(homeOutbox.list()))
  const messages = (JSON.parse(stored) as readonly HomeMessage[]).filter(
    (message) => project === undefined || message.project === project,
  )

  useEffect(() => {
    homeOutbox.failAbandoned()
    const leave = (cause: 'page_closed' | 'page_left') => {
      const message = reserving.current
      if (message !== undefined && homeOutbox.isSending(message)) homeOutbox.fail(message, { cause })
    }
    const handleClose = () => leave('page_closed')
    window.addEventListener('pagehide', handleClose)
    return () => {
      window.removeEventListener('pagehide', handleClose)
      leave('page_left')
    }
  }, [])

  const send = async (sent: Pick<HomeMessage, 'request' | 'content' | 'botName' | 'project'>) => {
    const { request, content, botName } = sent
    const message = { ...sent, draftKey, sentAt: Date.now() }
    homeOutbox.write(message)
    reserving.current = message
    setStarting(true)
    try {
      const query = new URLSearchParams({
        request,
        ...(sent.project !== undefined && { project: sent.project }),
      })
      const chat = await api.get<ReservedChat>(`/api/chat/id?${query}`)
      if (chat === undefined) homeOutbox.fail(message, { cause: 'signed_out' })
      // The attempt has failed if the user has left the page. The new chat must not replace the page that is open
      // now.
      else if (homeOutbox.isSending(message)) {
        homeOutbox.write({ ...message, chatId: chat.id })
        reserving.current = undefined
        firstMessage.store(chat.id, content, botName)
        await navigate(`/chat/${encodeURIComponent(chat.id)}`)
      }
    } catch (error) {
      logError('Error creating chat with message', error)
      const isGone = isNotFound(error) && sent.project !== undefined
      // Sent again, it begins a chat in no project.
      homeOutbox.fail(isGone ? { ...message, project: undefined } : message, toFailure(error))
      if (isGone) onProjectGone?.()
    } finally {
      clearDraft(draftKey, content)
      setStarting(false)
    }
  }

  const sendAgain = ({ request, content, project: of }: HomeMessage, botName: string) => {
    // Another tab may have sent it, or be sending it at this moment.
    if (homeOutbox.isUnsent(request)) void send({ request, content, botName, project: of })
  }
  const automatic = messages.findLast(({ failure }) => failure !== undefined && isOutage(failure))
  useAutomaticSends(() => (isStarting ? undefined : automatic), sendAgain)

  return {
    isStarting,
    /** The messages that were not sent, in the order of their last attempts. */
    unsent: messages.filter((message): message is UnsentHomeMessage => message.failure !== undefined),
    /** The message that is sent without a click after an outage: only the newest one, because sending it opens its chat. */
    automatic,
    start: (content: MessageContent, botName: string) =>
      void send({ request: createMessageId(), content, botName, project }),
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
