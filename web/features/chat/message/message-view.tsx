import type { RunState } from '@yonder/contract/apply-event'
import type { Message } from '@yonder/contract/message'
import { memo } from 'react'
import { useStore, type ReadableStore } from '../../../lib/store.ts'
import type { MessageGroup } from '../list/message-tree.ts'
import type { ChatSession } from '../session/chat-session.ts'
import { ReplyMessage } from './reply-message.tsx'
import { UserMessage } from './user-message.tsx'

export interface MessageViewProps {
  readonly group: MessageGroup
  /** Set for messages of the current run. */
  readonly session?: ChatSession | undefined
}

/** A user message, or the replies of one turn as one message. */
export const MessageView = memo(function MessageView({ group, session }: MessageViewProps) {
  const last = useLiveMessage(group.at(-1) ?? group[0], session)
  if (last.role === 'user') return <UserMessage message={last} />
  return <ReplyMessage earlier={group.slice(0, -1)} last={last} isWriting={session !== undefined} />
}, isSame)

/** Every change of the path creates new groups, so their messages are compared instead. */
function isSame(before: MessageViewProps, after: MessageViewProps): boolean {
  return (
    before.session === after.session &&
    before.group.length === after.group.length &&
    before.group.every((message, index) => message === after.group[index])
  )
}

const noRun: ReadableStore<RunState | undefined> = {
  get: () => undefined,
  subscribe: () => () => undefined,
}

/** Returns the message with its text so far, updated at most once per frame. */
function useLiveMessage(message: Message, session: ChatSession | undefined): Message {
  const find = (run: RunState | undefined) => run?.messages.find(({ id }) => id === message.id)
  return useStore(session?.renderedRun ?? noRun, find) ?? message
}
