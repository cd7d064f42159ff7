import { Navigate, useParams } from 'react-router'
import { ChatView } from '../features/chat/chat-view.tsx'
import { ImageSitesProvider } from '../ui/markdown/image-sites-provider.tsx'
import { PageTitle } from './page-title.tsx'

/** One chat, named by its address (§2.2, §2.10). */
export function ChatScreen({ userId }: { readonly userId: string }) {
  const { id } = useParams()
  if (id === undefined) return <Navigate to="/" replace />
  return (
    <>
      <PageTitle>Chat</PageTitle>
      <h1 className="sr-only">Chat</h1>
      <ImageSitesProvider storageKey={`imageSites_${userId}`}>
        <ChatView key={id} chatId={id} />
      </ImageSitesProvider>
    </>
  )
}
