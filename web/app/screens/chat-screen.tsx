import { useMemo } from 'react'
import { Navigate, useParams, useSearchParams } from 'react-router'
import { useConnectors } from '../../data/connectors.ts'
import { useChatTitle } from '../../features/chat/chat-title.ts'
import { ChatView } from '../../features/chat/chat-view.tsx'
import { MessageSlotsContext, type MessageSlots } from '../../features/chat/message/message-context.ts'
import { useAuthorizationReturn } from '../../features/connectors/list/authorization-return.ts'
import { connectionLogsPreference } from '../../features/preferences/connection-logs.ts'
import { PromptButton } from '../../features/prompts/prompt-button.tsx'
import { ShareButton } from '../../features/sharing/share-button.tsx'
import { ToolBlock } from '../../features/tools/call/tool-block.tsx'
import { LogPanel } from '../../features/tools/log/log-panel.tsx'
import { useServerLog } from '../../features/tools/log/server-log.ts'
import { DetailsButton } from '../../features/usage/details-button.tsx'
import { useStore } from '../../lib/store.ts'
import { ImageSitesProvider } from '../../ui/markdown/images.tsx'
import { PageTitle } from '../page-title.tsx'
import type { UserScreenProps } from '../signed-in-user.ts'

/** Shows the chat whose id is in the path. */
export function ChatScreen({ user }: UserScreenProps) {
  const { id } = useParams()
  const [params] = useSearchParams()
  if (id === undefined) return <Navigate to="/" replace />
  return (
    <>
      <ChatTitle chatId={id} />
      <h1 className="sr-only">Chat</h1>
      {params.has('authorization') && <AuthorizationReturn />}
      <ImageSitesProvider storageKey={`imageSites_${user.sub}`}>
        <OwnChat key={id} chatId={id} />
      </ImageSitesProvider>
    </>
  )
}

/** When the browser has returned to this chat from the consent page, shows whether the connector is connected. */
function AuthorizationReturn() {
  useAuthorizationReturn(useConnectors().data)
  return null
}

/** The chat's title in the tab, so that the tabs of several chats differ. */
function ChatTitle({ chatId }: { readonly chatId: string }) {
  return <PageTitle>{useChatTitle(chatId) ?? 'Chat'}</PageTitle>
}

/** The chat with what other features add: buttons of messages, tool calls, and the connection logs. */
function OwnChat({ chatId }: { readonly chatId: string }) {
  const slots = useMemo(() => createSlots(chatId), [chatId])
  const { log, receive, clear, close } = useServerLog()
  const logsAreOn = useStore(connectionLogsPreference)
  return (
    <MessageSlotsContext value={slots}>
      <ChatView
        chatId={chatId}
        onEvent={receive}
        aside={logsAreOn && log.visible && <LogPanel log={log} onClear={clear} onClose={close} />}
        reservesAside={logsAreOn}
      />
    </MessageSlotsContext>
  )
}

function createSlots(chatId: string): MessageSlots {
  return {
    actions: ({ id, role }, replies) => (
      <>
        <ShareButton chatId={chatId} messageId={id} />
        {role === 'assistant' && (
          <>
            <PromptButton chatId={chatId} messageId={id} />
            <DetailsButton chatId={chatId} replies={replies} />
          </>
        )}
      </>
    ),
    toolCall: (call) => <ToolBlock chatId={chatId} {...call} />,
  }
}
