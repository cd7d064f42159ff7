import type { Message } from '@yonder/contract/message'
import type { CallDecisions } from './decide-call.ts'
import { ToolBlock } from './tool-block.tsx'

export interface WaitingCallProps {
  readonly chatId: string
  /** The reply whose call needs approval. */
  readonly message: Message
  /** Undefined while nothing can be decided, for example because a decision is being sent. */
  readonly decide: CallDecisions | undefined
  /** Called with the reply as the server has stored it when a later call of its step was decided. */
  readonly onChange: (message: Message) => void
  /** The look of 'Allow Once'. `quiet` is for a page where several calls stand under each other. */
  readonly look?: 'primary' | 'quiet'
  /** Its title, where calls of several chats are shown. */
  readonly chatTitle?: string
}

/** The card of a call that needs approval, for pages that show it outside of its chat. */
export function WaitingCall(props: WaitingCallProps) {
  return <ToolBlock {...props} result={undefined} isLast />
}
