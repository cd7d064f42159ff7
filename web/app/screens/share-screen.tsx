import { useParams } from 'react-router'
import { ReadOnlyMessages } from '../../features/chat/list/read-only-messages.tsx'
import { SharedChatView } from '../../features/sharing/shared-chat-view.tsx'
import { HeaderSlot } from '../../ui/header-slot.tsx'
import { BrandLink } from '../layout/brand-link.tsx'
import { PageTitle } from '../page-title.tsx'

/** A shared chat, the same signed in and signed out, without input, connection logs and connectors. */
export function ShareScreen() {
  const { id = '' } = useParams()
  return (
    <>
      <PageTitle>Shared chat</PageTitle>
      {/* A response header has the same value; this element remains when the page is saved. */}
      <meta name="robots" content="noindex, nofollow" />
      {/* While the search is in it, the header stays in view. */}
      <header className="relative z-20 flex h-header items-center bg-page px-3 has-[search]:sticky has-[search]:top-0 sm:px-5">
        <BrandLink />
        <HeaderSlot />
      </header>
      <SharedChatView key={id} shareId={id}>
        {({ messages, selected_message_id }) => (
          <ReadOnlyMessages messages={messages} leafId={selected_message_id} />
        )}
      </SharedChatView>
    </>
  )
}
