import type { RunEvent } from '@yonder/contract/completion'
import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { Navigate } from 'react-router'
import { ApiError } from '../../lib/api-error.ts'
import { useStore } from '../../lib/store.ts'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { preloadMarkdown } from '../../ui/markdown/markdown.tsx'
import { ChatFrame } from './list/chat-frame.tsx'
import { ChatSkeleton } from './list/chat-skeleton.tsx'
import { Conversation } from './list/conversation.tsx'
import { useChatSession } from './session/use-chat-session.ts'

export interface ChatViewProps {
  readonly chatId: string
  /** Called with every event of the chat's runs. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined
  /** Shown right of the messages on a wide window. */
  readonly aside?: ReactNode
}

/** A chat of the user (§2.2). A chat that does not exist redirects to the home page (§2.12). */
export function ChatView({ chatId, onEvent, aside }: ChatViewProps) {
  const session = useChatSession(chatId)
  const view = useStore(session.view)
  const { chat, error } = view
  // Load the code that renders replies while the chat is loading.
  useEffect(preloadMarkdown, [])
  useEffect(() => session.open(), [session])
  useEffect(() => onEvent && session.onEvent(onEvent), [session, onEvent])
  if (error instanceof ApiError && error.status === 404) return <Navigate to="/" replace />
  if (chat !== undefined)
    return <Conversation key={chatId} chat={chat} view={view} session={session} aside={aside} />
  return (
    <ChatFrame>
      {error === undefined ? (
        <ChatSkeleton />
      ) : (
        <ErrorState
          title="This chat could not be loaded"
          retry={{ label: 'Try again', onRetry: session.reload }}
        >
          {error.message}
        </ErrorState>
      )}
    </ChatFrame>
  )
}
