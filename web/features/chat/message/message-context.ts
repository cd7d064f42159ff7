import type { Message } from '@yonder/contract/message'
import { createContext } from 'react'
import type { Siblings } from '../list/message-tree.ts'

/** The message that is being edited. */
export interface Editing {
  readonly messageId: string
  /** The edited text, if the chat was left during the edit. */
  readonly stored?: string
}

/** What the owner of a chat can do with its messages. */
export interface MessageActions {
  readonly chatId: string
  readonly siblingsOf: (message: Message) => Siblings
  readonly select: (messageId: string) => void
  /** Whether a reply is being written. No message can be changed then. */
  readonly busy: boolean
  /** Absent while no bot is selected, like `resend`, `allow`, `deny` and `continueAfter`. */
  readonly regenerate?: ((reply: Message) => void) | undefined
  readonly editing: Editing | undefined
  /** Opens a message for editing; called with undefined to close the editor. */
  readonly edit: (messageId: string | undefined) => void
  /** Stores the edited text; called with undefined when it is the original one. */
  readonly storeEdit: (text: string | undefined) => void
  /** Sends the edited text as a new version of a message. */
  readonly resend?: ((message: Message, text: string) => void) | undefined
  /** Approves the pending tool call of a reply, which then runs. */
  readonly allow?: ((reply: Message) => void) | undefined
  /** Denies the pending tool call of a reply by sending 'cancel'. */
  readonly deny?: ((reply: Message) => void) | undefined
  /** Requests the reply that is missing after a tool's result. */
  readonly continueAfter?: ((result: Message) => void) | undefined
}

/** Undefined where a chat is read-only. */
export const MessageActionsContext = createContext<MessageActions | undefined>(undefined)

/** The tool calls of a chat. */
export interface ToolCalls {
  /** The result of the call that a reply makes. */
  readonly resultOf: (replyId: string) => Message | undefined
  /** The last message of the path, which may be a tool result that is not shown. Undefined in a read-only chat. */
  readonly last: Message | undefined
}

export const ToolCallsContext = createContext<ToolCalls>({ resultOf: () => undefined, last: undefined })

/** The elements of the user messages that are rendered now, by message id. */
export interface MessageElements {
  /** Adds an element; the returned function removes it. */
  readonly add: (messageId: string, element: HTMLElement) => () => void
  readonly find: (messageId: string) => HTMLElement | undefined
  readonly list: () => readonly (readonly [messageId: string, element: HTMLElement])[]
}

export function createMessageElements(): MessageElements {
  const elements = new Map<string, HTMLElement>()
  return {
    add(messageId, element) {
      elements.set(messageId, element)
      return () => {
        if (elements.get(messageId) === element) elements.delete(messageId)
      }
    },
    find: (messageId) => elements.get(messageId),
    list: () => [...elements],
  }
}

/** Undefined where a chat has no table of contents. */
export const MessageElementsContext = createContext<MessageElements | undefined>(undefined)
