import type { RunEvent } from '@yonder/contract/completion'
import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { Navigate } from 'react-router'
import { ApiError } from '../../lib/api-error.ts'
import { ErrorState } from '../../ui/states/states.tsx'
import { preloadMarkdown } from '../../ui/markdown/markdown.tsx'
import { ChatFrame } from './chat-frame.tsx'
import { ChatSkeleton } from './list/chat-skeleton.tsx'
import { Conversation } from './list/conversation.tsx'
import { useChat } from './session/use-chat.ts'
import { useLiveChat } from './session/use-live-chat.ts'

export interface ChatViewProps {
  readonly chatId: string
  /** Hears everything that happens while replies are written. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined
  /** What stands right of the messages on a wide window. */
  readonly aside?: ReactNode
}

/** A chat of one's own (§2.2): read, shown, written to. A chat that is not there leads home (§2.12). */
export function ChatView({ chatId, onEvent, aside }: ChatViewProps) {
  const live = useLiveChat(chatId)
  const { data: chat, error, mutate } = useChat(chatId, live)
  // The code that draws replies comes while the chat is read.
  useEffect(preloadMarkdown, [])
  useEffect(() => onEvent && live.listen(onEvent), [live, onEvent])
  if (error instanceof ApiError && error.status === 404) return <Navigate to="/" replace />
  if (chat !== undefined) return <Conversation key={chatId} chat={chat} live={live} aside={aside} />
  return (
    <ChatFrame>
      {error === undefined ? (
        <ChatSkeleton />
      ) : (
        <ErrorState
          title="This chat could not be loaded"
          retry={{ label: 'Try again', onRetry: () => void mutate() }}
        >
          {error.message}
        </ErrorState>
      )}
    </ChatFrame>
  )
}
