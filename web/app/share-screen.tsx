import type { Message } from '@yonder/contract/message'
import type { SharedChat } from '@yonder/contract/share'
import { useMemo } from 'react'
import { useParams } from 'react-router'
import { MessageSlotsContext } from '../features/chat/message-slots.ts'
import type { MessageSlots } from '../features/chat/message-slots.ts'
import { ReadOnlyMessages } from '../features/chat/read-only-messages.tsx'
import { SharedChatView } from '../features/sharing/shared-chat-view.tsx'
import { SharedToolCall } from '../features/sharing/shared-tool-call.tsx'
import { BrandLink } from './brand-link.tsx'
import { PageTitle } from './page-title.tsx'

/** A shared chat, the same whether a person is signed in or not (§2.3). */
export function ShareScreen() {
  const { id = '' } = useParams()
  return (
    <>
      <PageTitle>Shared chat</PageTitle>
      {/* The header of the page says it too; this stays when the page is saved. */}
      <meta name="robots" content="noindex, nofollow" />
      <header className="flex h-14 items-center px-3 sm:px-5">
        <BrandLink />
      </header>
      <SharedChatView key={id} shareId={id}>
        {(chat) => <SharedMessages chat={chat} />}
      </SharedChatView>
    </>
  )
}

function SharedMessages({ chat: { messages, selected_message_id } }: { readonly chat: SharedChat }) {
  const slots = useMemo(() => createSlots(messages), [messages])
  return (
    <MessageSlotsContext value={slots}>
      <ReadOnlyMessages messages={messages} leafId={selected_message_id} />
    </MessageSlotsContext>
  )
}

function createSlots(messages: readonly Message[]): MessageSlots {
  const answered = new Set(messages.filter(isToolResult).map((message) => message.parent_id))
  return {
    toolCall: ({ id, server = '', tool = '' }) => (
      <SharedToolCall server={server} tool={tool} done={answered.has(id)} />
    ),
  }
}

/** A user message that names a connector (§3.11). */
function isToolResult({ role, server }: Message): boolean {
  return role === 'user' && server !== undefined
}
