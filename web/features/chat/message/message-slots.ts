import type { Message } from '@yonder/contract/message'
import { createContext } from 'react'
import type { ReactNode } from 'react'

/** The call of a tool that a reply makes, as the screen shows it. */
export interface ShownCall {
  readonly message: Message
  readonly result: Message | undefined
  /** Whether it is the last thing on the path: only then it can still be decided. */
  readonly isLast: boolean
  /** Absent where the reader has no say, or not now. */
  readonly allow?: (() => void) | undefined
  readonly deny?: (() => void) | undefined
}

/** What a screen puts into messages beside what this feature draws. */
export interface MessageSlots {
  /** More buttons in the line under a finished message. */
  readonly actions?: (message: Message) => ReactNode
  /** How a reply's tool call looks. */
  readonly toolCall?: (call: ShownCall) => ReactNode
}

export const MessageSlotsContext = createContext<MessageSlots>({})
