import type { Chat } from '@yonder/contract/chat'
import type { Message } from '@yonder/contract/message'
import { useMemo } from 'react'
import type { BotChoice } from '../composer/bot-select.tsx'
import { indexSiblings } from '../list/message-tree.ts'
import type { ChatSession } from '../session/chat-session.ts'
import { countCallsAfter } from '../session/run-messages.ts'
import type { MessageActions } from './message-context.ts'
import { findRefusedFile } from './refused-file.ts'

export interface MessageActionsOptions {
  /** The chat as it is shown, with the messages that are being written. */
  readonly chat: Chat
  readonly session: ChatSession
  readonly busy: boolean
  readonly choice: BotChoice
  /** Called when an action has requested a reply. */
  readonly onRequest: () => void
}

/** The actions of the chat's owner on its messages. The object stays the same while none of them changes. */
export function useMessageActions(options: MessageActionsOptions): MessageActions {
  const { chat, session, busy, choice, onRequest } = options
  const { bots, selected, select } = choice
  const { messages } = chat
  const siblingsOf = useMemo(() => indexSiblings(messages), [messages])
  return useMemo(() => {
    const actions = {
      chatId: chat.id,
      siblingsOf,
      select: session.selectBranch,
      busy,
      replace: session.replaceMessage,
      withoutRefusedFile: (reply: Message) => findRefusedFile(messages, reply),
    }
    if (selected === undefined) return actions
    /** The name of the bot that wrote a reply, or of the selected one if that bot no longer exists. */
    const botNameOf = (reply: Message | undefined) =>
      bots?.find(({ name }) => name === reply?.bot)?.name ?? selected.name
    const notifyIfRequested = (isRequested: boolean) => {
      if (isRequested) onRequest()
      return isRequested
    }
    return {
      ...actions,
      asked: { bots, selected, select },
      regenerate: (reply) => void notifyIfRequested(session.regenerate(reply, selected.name)),
      resend: ({ parent_id: parentId }, content) =>
        notifyIfRequested(session.send({ parentId, content, botName: selected.name })),
      allow: (reply, edited) => void notifyIfRequested(session.allow(reply, botNameOf(reply), edited)),
      // The calls after the denied one belong to the bot that made them.
      deny: (reply, reason) => {
        const botName = countCallsAfter(reply) > 0 ? botNameOf(reply) : selected.name
        notifyIfRequested(session.deny(reply, botName, reason))
      },
      continueAfter: (last) => {
        const reply = last.role === 'assistant' ? last : messages.find(({ id }) => id === last.parent_id)
        notifyIfRequested(session.continueAfter(last, botNameOf(reply)))
      },
    }
  }, [chat.id, siblingsOf, busy, bots, selected, select, messages, session, onRequest])
}
