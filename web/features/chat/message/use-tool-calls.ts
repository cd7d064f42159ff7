import type { Chat } from '@yonder/contract/chat'
import type { Message } from '@yonder/contract/message'
import { useMemo } from 'react'
import { indexResults } from '../list/index-results.ts'
import type { ChatSession } from '../session/chat-session.ts'
import type { ToolCalls } from './tool-calls.ts'
import type { BotChoice } from '../composer/use-bot-choice.ts'

export interface ToolCallsOptions {
  /** As it is shown, with what is being written. */
  readonly chat: Chat
  readonly session: ChatSession
  readonly busy: boolean
  readonly choice: BotChoice
  /** Called when a call was decided or a turn goes on. */
  readonly onAsk: () => void
}

/** The calls on the path of a chat and what its owner can do about them; the same object while nothing of it changes. */
export function useToolCalls({ chat, session, busy, choice, onAsk }: ToolCallsOptions): ToolCalls {
  const { messages, selected_message_id: leaf } = chat
  const { bots, selected } = choice
  const resultOf = useMemo(() => indexResults(messages), [messages])
  return useMemo(() => {
    const last = messages.find(({ id }) => id === leaf)
    if (selected === undefined) return { resultOf, last, actions: { busy } }
    /** Whoever made the call goes on with it, as long as they are there. */
    const botOf = (reply: Message | undefined) =>
      bots?.find(({ name }) => name === reply?.bot)?.name ?? selected.name
    const begin = (isBegun: boolean) => {
      if (isBegun) onAsk()
    }
    const allow = (reply: Message) => begin(session.allow(reply, botOf(reply)))
    const deny = (reply: Message) => begin(session.deny(reply, selected.name))
    const goOn = (result: Message) =>
      begin(session.continueAfter(result, botOf(messages.find(({ id }) => id === result.parent_id))))
    return { resultOf, last, actions: { busy, allow, deny, goOn } }
  }, [resultOf, messages, leaf, busy, bots, selected, session, onAsk])
}
