import type { Message } from '@yonder/contract/message'
import { createContext } from 'react'

/** What can be done with the last message of a path where its owner has the say. */
export interface TurnActions {
  /** While a reply is on its way nothing can be decided. */
  readonly busy: boolean
  /** Runs the call that a reply waits with (§4.20); absent until there is a bot. */
  readonly allow?: ((reply: Message) => void) | undefined
  /** Sends 'cancel' instead (§4.22); absent until there is a bot. */
  readonly deny?: ((reply: Message) => void) | undefined
  /** Lets the model answer a result after which nothing came; absent until there is a bot. */
  readonly goOn?: ((result: Message) => void) | undefined
}

/** The calls of tools on a path. */
export interface ToolCalls {
  /** The result of the call that a reply makes. */
  readonly resultOf: (replyId: string) => Message | undefined
  /** The last message of the path, shown or not. */
  readonly last: Message | undefined
  /** Absent where nobody writes. */
  readonly actions?: TurnActions
}

export const ToolCallsContext = createContext<ToolCalls>({ resultOf: () => undefined, last: undefined })
