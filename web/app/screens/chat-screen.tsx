import { useEffect } from 'react'
import { Navigate, useParams, useSearchParams } from 'react-router'
import { useChatList, useListRow } from '../../data/chat-list.ts'
import { useConnectors } from '../../data/connectors.ts'
import { HeaderTitle } from '../../features/chat-list/header-title.tsx'
import { useChatTitle } from '../../features/chat/chat-title.ts'
import { ChatView } from '../../features/chat/chat-view.tsx'
import { useChatSession } from '../../features/chat/session/use-chat-session.ts'
import { useAuthorizationReturn } from '../../features/connectors/list/authorization-return.ts'
import type { IdentityUser } from '../../features/identity/session-store.ts'
import { useStore } from '../../lib/store.ts'
import { IntoHeader } from '../../ui/header-slot.tsx'
import { ImageSitesProvider } from '../../ui/markdown/images.tsx'
import { PageTitle } from '../page-title.tsx'

/** Shows the chat whose id is in the path. */
export function ChatScreen({ user }: { readonly user: Pick<IdentityUser, 'sub'> }) {
  const { id } = useParams()
  const [params] = useSearchParams()
  if (id === undefined) return <Navigate to="/" replace />
  return (
    <>
      <ChatTitle chatId={id} />
      <h1 className="sr-only">Chat</h1>
      {params.has('authorization') && <AuthorizationReturn />}
      <ImageSitesProvider storageKey={`imageSites_${user.sub}`}>
        <ChatView key={id} chatId={id} />
      </ImageSitesProvider>
    </>
  )
}

/** When the browser has returned to this chat from the consent page, shows whether the connector is connected. */
function AuthorizationReturn() {
  useAuthorizationReturn(useConnectors().data)
  return null
}

/** The chat's title in the header, with the menu of the chat, and in the tab. */
function ChatTitle({ chatId }: { readonly chatId: string }) {
  const store = useChatList()
  useEffect(() => store.show(chatId), [store, chatId])
  const chat = useStore(useChatSession(chatId).view, (view) => view.chat)
  useEffect(() => {
    // A chat that is in no list so far. Later, the lists follow the live stream.
    if (chat?.title === undefined || store.row(chatId) !== undefined) return
    const { messages: _messages, selected_message_id: _leaf, run: _run, compactions: _, ...row } = chat
    store.note([{ ...row, title: chat.title }])
  }, [store, chatId, chat])
  const derived = useChatTitle(chatId)
  const title = useListRow(chatId)?.title ?? derived
  return (
    <>
      <PageTitle>{title ?? 'Chat'}</PageTitle>
      <IntoHeader>
        <HeaderTitle key={chatId} chatId={chatId} title={title} />
      </IntoHeader>
    </>
  )
}
