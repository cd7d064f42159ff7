import type { MessageContent } from '@yonder/contract/message'
import { useCallback, useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react'
import { readReason } from '../../../lib/api/api-error.ts'
import { useApi } from '../../../lib/api/api-provider.tsx'
import { onConnectionBack } from '../../../lib/api/connection.ts'
import { browserStorage } from '../../../lib/browser-storage.ts'
import { logError } from '../../../lib/log-error.ts'
import { clearDraft, storageKeys } from '../chat-storage.ts'
import type { ChatQueueHandle, ChatQueueOptions } from './chat-queue.tsx'
import { queueOutbox } from './queue-outbox.ts'

const loadQueue = () => import('./chat-queue.tsx')
type QueuePart = Awaited<ReturnType<typeof loadQueue>>

export interface ChatQueueParts {
  /** The list above the input; nothing until a message waits. */
  readonly list: ReactNode
  /** Called when a message can be queued, which is likely from then on. */
  readonly onOffer: () => void
  /** Queues a message and then empties the input. */
  readonly queue: (content: MessageContent, botName: string) => void
  /** Focuses the last message of the list. Returns false if there is none. */
  readonly focusLast: () => boolean
}

/** The queue of a chat. Its code is loaded during a reply and when a message waits, and it is shown when one waits or is written. */
export function useChatQueue(options: ChatQueueOptions): ChatQueueParts {
  const { chat, session, view } = options
  const api = useApi()
  const [isOffered, setOffered] = useState(false)
  const stored = useSyncExternalStore(browserStorage.subscribe, () => queueOutbox.readText(chat.id))
  const part = useQueuePart(isOffered || chat.queued === true || stored !== null)
  const isReplying = view.phase !== 'idle'
  // Early, because a message may have to wait when nothing can be loaded any more.
  useEffect(() => {
    if (isReplying) loadQueue().catch(() => undefined)
  }, [isReplying])
  const handle = useRef<ChatQueueHandle>(null)
  const isLoading = useRef(false)
  const queue = async (content: MessageContent, botName: string): Promise<void> => {
    if (isLoading.current) return
    isLoading.current = true
    try {
      const { queueSenderOf } = part ?? (await loadQueue())
      queueSenderOf(api, chat.id, session).add({ content, botName })
      clearDraft(storageKeys.draft(chat.id), content)
    } catch (error) {
      logError('The queue could not be loaded', error)
      session.notify(
        `Your message is still in the input, because it could not be queued: ${readReason(error)}`,
      )
    } finally {
      isLoading.current = false
    }
  }
  return {
    list: part && <part.ChatQueue {...options} ref={handle} />,
    onOffer: useCallback(() => setOffered(true), []),
    queue: (content, botName) => void queue(content, botName),
    focusLast: () => handle.current?.focusLast() ?? false,
  }
}

/** Loads the code once it is wanted, and again after an outage in which that failed. */
function useQueuePart(isWanted: boolean): QueuePart | undefined {
  const { connection } = useApi()
  const [part, setPart] = useState<QueuePart>()
  useEffect(() => {
    if (!isWanted) return
    const load = () =>
      void loadQueue().then(setPart, (error: unknown) => logError('The queue could not be loaded', error))
    load()
    return onConnectionBack(connection, load)
  }, [isWanted, connection])
  return part
}
