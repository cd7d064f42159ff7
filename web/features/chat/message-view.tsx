import type { Message } from '@yonder/contract/message'
import { memo, useSyncExternalStore } from 'react'
import type { LiveChat } from './live-chat.ts'
import { ReplyMessage } from './reply-message.tsx'
import { UserMessage } from './user-message.tsx'

export interface MessageViewProps {
  readonly message: Message
  /** Given for a message of the run that is being written: its text is asked for here, frame by frame. */
  readonly live?: LiveChat | undefined
}

/** One message. Of a chat that is being written to, only the message that changes is drawn again. */
export const MessageView = memo(function MessageView({ message, live }: MessageViewProps) {
  const current = useSyncExternalStore(
    live?.subscribe ?? subscribeToNothing,
    () => live?.getMessage(message.id) ?? message,
  )
  return current.role === 'user' ? <UserMessage message={current} /> : <ReplyMessage message={current} />
})

const subscribeToNothing = () => () => undefined
