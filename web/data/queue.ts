import type { LiveEvent } from '@yonder/contract/live'
import type { Queue, QueueAction, QueueChange, QueueContinue, QueuePause } from '@yonder/contract/queue'
import { useEffect, useMemo } from 'react'
import useSWR from 'swr'
import { readReason } from '../lib/api/api-error.ts'
import { useApi } from '../lib/api/api-provider.tsx'
import { logError } from '../lib/log-error.ts'
import { timeZoneField } from '../lib/time-zone.ts'
import { toast } from '../lib/toasts.ts'
import { useLiveListOptions } from './named-list.ts'

export const queuePath = '/api/chat/queue'

const pathOf = (id: string) => `${queuePath}/${encodeURIComponent(id)}`

/** The fields of a change, without the chat. */
export type QueuePatch = Omit<QueueChange, 'chatId'>

/** The queue of the branch that a chat shows, read again when it may have changed. Its object `change` stays the same. */
export function useQueue(chatId: string) {
  const api = useApi()
  const query = new URLSearchParams({ chatId })
  const { data, mutate } = useSWR<Queue, Error>(`${queuePath}?${query}`, useLiveListOptions())
  useEffect(
    () => api.live.subscribe((event) => void (changesQueue(event, chatId) && mutate())),
    [api, chatId, mutate],
  )
  const change = useMemo(() => {
    /** Shows `expected` until the server has responded. After a failure it says so and reads the queue again. */
    const request = async (
      failure: string,
      call: () => Promise<Queue | undefined>,
      expected?: (queue: Queue) => Queue,
    ): Promise<boolean> => {
      try {
        await mutate(call, {
          revalidate: false,
          ...(expected && { optimisticData: (queue = emptyQueue) => expected(queue) }),
        })
        return true
      } catch (error) {
        logError(failure, error)
        toast.error(`${failure}: ${readReason(error)}`)
        void mutate()
        return false
      }
    }
    const action = (): QueueAction => ({ chatId, ...timeZoneField() })
    return {
      /** Shows the queue that a response contained. */
      show: (queue: Queue) => void mutate(queue, { revalidate: false }),
      edit: (id: string, content: NonNullable<QueuePatch['content']>) =>
        request('The message could not be changed', () =>
          api.patch<Queue>(pathOf(id), { chatId, content } satisfies QueueChange),
        ),
      move: (id: string, before: string | null) =>
        request(
          'The message could not be moved',
          () => api.patch<Queue>(pathOf(id), { chatId, before } satisfies QueueChange),
          (queue) => ({ ...queue, messages: moveBefore(queue.messages, id, before) }),
        ),
      steer: (id: string, steers: boolean) =>
        request(steers ? 'The message could not be steered' : 'The message could not be taken back', () =>
          api.patch<Queue>(pathOf(id), { chatId, steers } satisfies QueueChange),
        ),
      remove: (id: string) =>
        request(
          'The message could not be removed',
          () => api.delete<Queue>(`${pathOf(id)}?${new URLSearchParams({ chatId })}`),
          (queue) => ({ ...queue, messages: queue.messages.filter((message) => message.id !== id) }),
        ),
      sendNow: (id: string) =>
        request('The message could not be sent', () => api.post<Queue>(`${pathOf(id)}/send`, action())),
      /** Goes on after a pause, with the message that is the first. */
      goOn: (id: string, paused: QueuePause) =>
        request('The queue could not go on', () =>
          api.post<Queue>(`${queuePath}/continue`, { ...action(), id, paused } satisfies QueueContinue),
        ),
      /** Lets another bot reply to a message. */
      changeBot: (id: string, botName: string) =>
        request('The bot could not be changed', () =>
          api.patch<Queue>(pathOf(id), { chatId, botName } satisfies QueueChange),
        ),
    }
  }, [api, chatId, mutate])
  return { queue: data ?? emptyQueue, isKnown: data !== undefined, change }
}

export type QueueCalls = ReturnType<typeof useQueue>['change']

const emptyQueue: Queue = { messages: [], paused: null }

/** Whether an event of the live stream can mean that the queue of a chat has changed. */
function changesQueue(event: LiveEvent, chatId: string): boolean {
  if (event.type === 'ready') return true
  if (!('chatId' in event) || event.chatId !== chatId) return false
  return event.type === 'chat_changed' || (event.type === 'run' && changingRunEvents.has(event.event.type))
}

const changingRunEvents: ReadonlySet<string> = new Set(['started', 'message', 'ended'])

/** Moves the item with this id before another one, or to the end. */
export function moveBefore<Item extends { readonly id: string }>(
  items: readonly Item[],
  id: string,
  before: string | null,
): Item[] {
  const others = items.filter((item) => item.id !== id)
  const index = others.findIndex((item) => item.id === before)
  const moved = items.filter((item) => item.id === id)
  return others.toSpliced(index === -1 ? others.length : index, 0, ...moved)
}
