import type { Message } from '@yonder/contract/message'
import { createContext } from 'react'
import type { ReactNode } from 'react'

/** What a screen puts into messages beside what this feature draws. */
export interface MessageSlots {
  /** More buttons in the line under a finished message. */
  readonly actions?: (message: Message) => ReactNode
  /** How a reply's tool call looks. */
  readonly toolCall?: (message: Message) => ReactNode
}

export const MessageSlotsContext = createContext<MessageSlots>({})
