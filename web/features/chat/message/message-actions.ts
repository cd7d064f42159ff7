import type { Message } from '@yonder/contract/message'
import { createContext } from 'react'
import type { Siblings } from '../list/index-siblings.ts'

/** The message that is being edited. */
export interface Editing {
  readonly messageId: string
  /** What it said by then when the chat was left in the middle of it. */
  readonly kept?: string
}

/** What the owner of a chat can do with its messages; where nobody writes there is none of it. */
export interface MessageActions {
  readonly siblingsOf: (message: Message) => Siblings
  readonly select: (messageId: string) => void
  /** While a reply is on its way nothing can be changed. */
  readonly busy: boolean
  /** Absent until there is a bot that could answer. */
  readonly regenerate?: ((reply: Message) => void) | undefined
  readonly editing: Editing | undefined
  /** Opens a message for editing, or ends that. */
  readonly edit: (messageId: string | undefined) => void
  /** Keeps what the message that is edited says by now; undefined when that is what it said before. */
  readonly keepEdit: (text: string | undefined) => void
  /** Sends another text in the place of a message; absent until there is a bot that could answer. */
  readonly resend?: ((message: Message, text: string) => void) | undefined
}

export const MessageActionsContext = createContext<MessageActions | undefined>(undefined)
