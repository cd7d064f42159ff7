import { useMemo } from 'react'
import { Navigate, useParams } from 'react-router'
import { ChatView } from '../features/chat/chat-view.tsx'
import { MessageSlotsContext } from '../features/chat/message-slots.ts'
import type { MessageSlots } from '../features/chat/message-slots.ts'
import { ShareButton } from '../features/sharing/share-button.tsx'
import { ImageSitesProvider } from '../ui/markdown/image-sites-provider.tsx'
import { PageTitle } from './page-title.tsx'

/** One chat, named by its address (§2.2, §2.10). */
export function ChatScreen({ userId }: { readonly userId: string }) {
  const { id } = useParams()
  const slots = useMemo(() => createSlots(id ?? ''), [id])
  if (id === undefined) return <Navigate to="/" replace />
  return (
    <>
      <PageTitle>Chat</PageTitle>
      <h1 className="sr-only">Chat</h1>
      <ImageSitesProvider storageKey={`imageSites_${userId}`}>
        <MessageSlotsContext value={slots}>
          <ChatView key={id} chatId={id} />
        </MessageSlotsContext>
      </ImageSitesProvider>
    </>
  )
}

function createSlots(chatId: string): MessageSlots {
  return { actions: ({ id }) => <ShareButton chatId={chatId} messageId={id} /> }
}
