import type { Chat } from '@yonder/contract/chat'
import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import { useMemo } from 'react'
import { beginAgain, beginCall } from '../session/begin-run.ts'
import { indexResults } from '../list/index-results.ts'
import type { LiveChat } from '../session/live-chat.ts'
import { newMessageId } from '../session/new-message-id.ts'
import type { ToolCalls } from './tool-calls.ts'
import type { BotChoice } from '../composer/use-bot-choice.ts'

export interface ToolCallsOptions {
  /** As it is shown, with what is being written. */
  readonly chat: Chat
  readonly live: LiveChat
  readonly busy: boolean
  readonly choice: BotChoice
  /** Called when a call was decided or a turn goes on. */
  readonly onAsk: () => void
}

/** The calls on the path of a chat and what its owner can do about them; the same object while nothing of it changes. */
export function useToolCalls({ chat, live, busy, choice, onAsk }: ToolCallsOptions): ToolCalls {
  const { id: chatId, messages, selected_message_id: leaf } = chat
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
    const allow = (reply: Message) => {
      const { id: messageId, server, tool, arguments: args } = reply
      begin(
        live.ask(beginCall(messages, reply), {
          path: '/api/tool/confirm',
          body: { botName: botOf(reply), server, tool, args, chatId, messageId },
          failure: 'The call was not confirmed',
        }),
      )
    }
    const deny = ({ id: parentId }: Message) =>
      begin(live.send({ id: newMessageId(), parentId, content: 'cancel', botName: selected.name }))
    const goOn = (result: Message) => {
      const { id: parentId, server, parent_id: callId } = result
      const botName = botOf(messages.find(({ id }) => id === callId))
      begin(
        live.ask(beginAgain(result, botName, Date.now()), {
          path: '/api/chat/completions',
          body: { chatId, botName, content: textOfContent(result.content), server, parentId },
          failure: 'The reply could not be continued',
        }),
      )
    }
    return { resultOf, last, actions: { busy, allow, deny, goOn } }
  }, [resultOf, messages, leaf, busy, bots, selected, chatId, live, onAsk])
}
