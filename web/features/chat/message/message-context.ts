import type { Message } from '@yonder/contract/message'
import { createContext } from 'react'
import type { Siblings } from '../list/message-tree.ts'

/** What the owner of a chat can do with its messages. */
export interface MessageActions {
  readonly chatId: string
  readonly siblingsOf: (message: Message) => Siblings
  readonly select: (messageId: string) => void
  /** Whether a reply is being written. No message can be changed then. */
  readonly busy: boolean
  /** Absent while no bot is selected, like `resend`, `allow`, `deny` and `continueAfter`. */
  readonly regenerate?: ((reply: Message) => void) | undefined
  /** Sends a message again with another text and the same files. Returns whether it was requested. */
  readonly resend?: ((message: Message, text: string) => boolean) | undefined
  /** Approves the pending tool call of a reply, which then runs. */
  readonly allow?: ((reply: Message) => void) | undefined
  /** Denies the pending tool call of a reply by sending 'cancel'. */
  readonly deny?: ((reply: Message) => void) | undefined
  /** Requests what is missing after the last message: the reply to a tool's result, or the rest of a reply. */
  readonly continueAfter?: ((last: Message) => void) | undefined
}

/** Undefined where a chat is read-only. */
export const MessageActionsContext = createContext<MessageActions | undefined>(undefined)

/** The tool calls of a chat. */
export interface ToolCalls {
  /** The result of the call that a reply makes. */
  readonly resultOf: (replyId: string) => Message | undefined
  /** The last message of the path, which may be a tool result that is not shown. Undefined in a read-only chat. */
  readonly last: Message | undefined
  /** The messages that only deny a call. */
  readonly denials: ReadonlySet<string>
}

export const ToolCallsContext = createContext<ToolCalls>({
  resultOf: () => undefined,
  last: undefined,
  denials: new Set(),
})

/** The id of the element of a turn while it is rendered; `messageId` is that of its first message. */
export function messageElementId(messageId: string): string {
  return `message-${messageId}`
}
