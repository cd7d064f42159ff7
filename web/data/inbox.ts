import type { Inbox } from '@yonder/contract/inbox'
import type { LiveEvent } from '@yonder/contract/live'
import { useEffect, useEffectEvent } from 'react'
import useSWR from 'swr'
import { useApi } from '../lib/api/api-provider.tsx'
import { inboxKey, useLiveListOptions } from './named-list.ts'

/** How long events are awaited after the first one before what waits is read again, in milliseconds. */
const collectMs = 400

/** The calls and questions that wait for the user in all chats. They are read again when they may have changed. */
export function useInbox() {
  const read = useSWR<Inbox, Error>(inboxKey, { ...useLiveListOptions(), revalidateOnMount: true })
  useWaitingChanges(() => void read.mutate())
  return read
}

/** Calls `onChange` when what waits for the user may have changed, once for events that come together. */
export function useWaitingChanges(onChange: () => void): void {
  const { live } = useApi()
  const change = useEffectEvent(onChange)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const unsubscribe = live.subscribe((event) => {
      // A stream that opens without delay has no state before its first line, and nothing was missed.
      if (!concernsWaiting(event) || (event.type === 'ready' && live.state.get() === 'opening')) return
      timer ??= setTimeout(() => {
        timer = undefined
        change()
      }, collectMs)
    })
    return () => {
      unsubscribe()
      clearTimeout(timer)
    }
  }, [live])
}

function concernsWaiting(event: LiveEvent): boolean {
  switch (event.type) {
    case 'ready':
    case 'chats_listed':
    case 'chat_changed':
    case 'run_lost':
      return true
    case 'changed':
      return event.what === 'chats'
    case 'run':
      return ['started', 'tool_call', 'tool_question', 'tool_result', 'ended'].includes(event.event.type)
    case 'heartbeat':
      return false
  }
}
