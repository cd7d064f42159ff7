import type { Message } from '@yonder/contract/message'
import type { SharedChat } from '@yonder/contract/share'
import type { ToolCall } from '@yonder/contract/tool-call'
import { useParams } from 'react-router'
import { ReadOnlyMessages } from '../../features/chat/list/read-only-messages.tsx'
import { MessageSlotsContext, type MessageSlots } from '../../features/chat/message/message-context.ts'
import { SharedChatView } from '../../features/sharing/shared-chat-view.tsx'
import { SharedToolCall, type SharedCallState } from '../../features/sharing/shared-tool-call.tsx'
import { BrandLink } from '../layout/brand-link.tsx'

/** A shared chat, the same signed in and signed out, without input, connection logs and connectors. */
export function ShareScreen() {
  const { id = '' } = useParams()
  return (
    <>
      {/* A response header has the same value; this element remains when the page is saved. */}
      <meta name="robots" content="noindex, nofollow" />
      <header className="flex h-header items-center px-3 sm:px-5">
        <BrandLink />
      </header>
      <SharedChatView key={id} shareId={id}>
        {(chat) => <SharedMessages chat={chat} />}
      </SharedChatView>
    </>
  )
}

function SharedMessages({ chat: { messages, selected_message_id } }: { readonly chat: SharedChat }) {
  return (
    <MessageSlotsContext value={slots}>
      <ReadOnlyMessages messages={messages} leafId={selected_message_id} />
    </MessageSlotsContext>
  )
}

const slots: MessageSlots = {
  toolCall: ({ message: { server = '', tool = '', call }, result }) => (
    <SharedToolCall server={server} tool={tool} state={readSharedCallState(call, result)} />
  ),
}

/** A result without an outcome belongs to the demo chat. */
function readSharedCallState(call: ToolCall | undefined, result: Message | undefined): SharedCallState {
  if (result !== undefined) return result.outcome?.status ?? 'done'
  return call?.state === 'denied' ? 'denied' : 'no_result'
}
