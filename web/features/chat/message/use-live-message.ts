import type { Message } from '@yonder/contract/message'
import { useSyncExternalStore } from 'react'
import type { LiveChat } from '../session/live-chat.ts'

/** A message as it stands now: of a chat that is being written to it is asked for here, frame by frame. */
export function useLiveMessage(message: Message, live: LiveChat | undefined): Message {
  return useSyncExternalStore(
    live?.subscribe ?? subscribeToNothing,
    () => live?.getMessage(message.id) ?? message,
  )
}

const subscribeToNothing = () => () => undefined
