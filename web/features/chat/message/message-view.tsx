import type { Message } from '@yonder/contract/message'
import { memo } from 'react'
import type { MessageGroup } from '../list/group-messages.ts'
import type { ChatSession } from '../session/chat-session.ts'
import { ReplyMessage } from './reply-message.tsx'
import { useLiveMessage } from './use-live-message.ts'
import { UserMessage } from './user-message.tsx'

export interface MessageViewProps {
  readonly group: MessageGroup
  /** Given for messages of the run that is being written. */
  readonly session?: ChatSession | undefined
}

/** What is drawn as one message. Of a chat that is being written to, only what changes is drawn again. */
export const MessageView = memo(function MessageView({ group, session }: MessageViewProps) {
  return group[0].role === 'user' ? (
    <LiveUserMessage message={group[0]} session={session} />
  ) : (
    <ReplyMessage replies={group} session={session} />
  )
}, isSame)

function LiveUserMessage({
  message,
  session,
}: {
  readonly message: Message
  readonly session: ChatSession | undefined
}) {
  return <UserMessage message={useLiveMessage(message, session)} />
}

/** Groups are made anew whenever the path changes; what counts is what they hold. */
function isSame(before: MessageViewProps, after: MessageViewProps): boolean {
  return (
    before.session === after.session &&
    before.group.length === after.group.length &&
    before.group.every((message, index) => message === after.group[index])
  )
}
