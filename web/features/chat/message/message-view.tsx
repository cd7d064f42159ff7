import type { Message } from '@yonder/contract/message'
import { memo } from 'react'
import type { MessageGroup } from '../list/group-messages.ts'
import type { LiveChat } from '../session/live-chat.ts'
import { ReplyMessage } from './reply-message.tsx'
import { useLiveMessage } from './use-live-message.ts'
import { UserMessage } from './user-message.tsx'

export interface MessageViewProps {
  readonly group: MessageGroup
  /** Given for messages of the run that is being written. */
  readonly live?: LiveChat | undefined
}

/** What is drawn as one message. Of a chat that is being written to, only what changes is drawn again. */
export const MessageView = memo(function MessageView({ group, live }: MessageViewProps) {
  return group[0].role === 'user' ? (
    <LiveUserMessage message={group[0]} live={live} />
  ) : (
    <ReplyMessage replies={group} live={live} />
  )
}, isSame)

function LiveUserMessage({
  message,
  live,
}: {
  readonly message: Message
  readonly live: LiveChat | undefined
}) {
  return <UserMessage message={useLiveMessage(message, live)} />
}

/** Groups are made anew whenever the path changes; what counts is what they hold. */
function isSame(before: MessageViewProps, after: MessageViewProps): boolean {
  return (
    before.live === after.live &&
    before.group.length === after.group.length &&
    before.group.every((message, index) => message === after.group[index])
  )
}
