import type { Message, MessageContent } from '@yonder/contract/message'
import { createContext } from 'react'
import type { EditedArguments } from '../../tools/call/decide-call.ts'
import type { AskedBot } from '../composer/bot-select.tsx'
import type { Siblings } from '../list/message-tree.ts'
import type { RefusedMessage } from './refused-file.ts'

/** What the owner of a chat can do with its messages. */
export interface MessageActions {
  readonly chatId: string
  readonly siblingsOf: (message: Message) => Siblings
  readonly select: (messageId: string) => void
  /** Whether a reply is being written. No message can be changed then. */
  readonly busy: boolean
  /** Absent while no bot is selected, like `resend`, `allow`, `deny` and `continueAfter`. */
  readonly regenerate?: ((reply: Message) => void) | undefined
  /** The bot that `resend` asks. */
  readonly asked?: AskedBot | undefined
  /** Sends a message again with other content. Returns whether it was requested. */
  readonly resend?: ((message: Message, content: MessageContent) => boolean) | undefined
  /** What to send again when the provider refused a file; undefined when the failed reply does not say which one. */
  readonly withoutRefusedFile: (reply: Message) => RefusedMessage | undefined
  /** Approves the pending tool call of a reply, which then runs. */
  readonly allow?: ((reply: Message, edited?: EditedArguments) => void) | undefined
  /** Denies the pending tool call of a reply by sending 'cancel', or the reason for the model. */
  readonly deny?: ((reply: Message, reason?: string) => void) | undefined
  /** Shows a message as the server has stored it. */
  readonly replace: (message: Message) => void
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
  /** Returns the message that only denied the call of a reply, which is shown at the call. */
  readonly denialOf: (replyId: string) => Message | undefined
}

export const ToolCallsContext = createContext<ToolCalls>({
  resultOf: () => undefined,
  last: undefined,
  denialOf: () => undefined,
})

/** The id of the element of a turn while it is rendered; `messageId` is that of its first message. */
export function messageElementId(messageId: string): string {
  return `message-${messageId}`
}
