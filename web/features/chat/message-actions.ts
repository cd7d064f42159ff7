import type { Message } from '@yonder/contract/message'
import { createContext } from 'react'
import type { Siblings } from './index-siblings.ts'

/** What the owner of a chat can do with its messages; where nobody writes there is none of it. */
export interface MessageActions {
  readonly siblingsOf: (message: Message) => Siblings
  readonly select: (messageId: string) => void
  /** While a reply is on its way nothing can be changed. */
  readonly busy: boolean
  /** Absent until there is a bot that could answer. */
  readonly regenerate?: ((reply: Message) => void) | undefined
  /** The message that is being edited. */
  readonly editing: string | undefined
  /** Opens a message for editing, or ends that. */
  readonly edit: (messageId: string | undefined) => void
  /** Sends another text in the place of a message; absent until there is a bot that could answer. */
  readonly resend?: ((message: Message, text: string) => void) | undefined
}

export const MessageActionsContext = createContext<MessageActions | undefined>(undefined)
