import type { Chat } from '@yonder/contract/chat'
import type { Message } from '@yonder/contract/message'
import { useMemo, useState } from 'react'
import { beginAgain } from './begin-run.ts'
import { indexSiblings } from './index-siblings.ts'
import type { LiveChat } from './live-chat.ts'
import type { MessageActions } from './message-actions.ts'
import { newMessageId } from './new-message-id.ts'
import { useSelectBranch } from './use-select-branch.ts'

export interface MessageActionsOptions {
  /** As it is shown, with what is being written. */
  readonly chat: Chat
  readonly live: LiveChat
  readonly busy: boolean
  /** Who answers; undefined until there is a bot. */
  readonly botName: string | undefined
  /** Called when another version of something has been asked for. */
  readonly onAsk: () => void
}

/** What the owner can do with the messages of a chat; the same object for as long as nothing of it changes. */
export function useMessageActions(options: MessageActionsOptions): MessageActions {
  const { chat, live, busy, botName, onAsk } = options
  const [editing, edit] = useState<string>()
  const select = useSelectBranch(chat.id)
  const { messages } = chat
  const siblingsOf = useMemo(() => indexSiblings(messages), [messages])
  return useMemo(() => {
    const write = (begin: (bot: string) => boolean) => {
      if (botName === undefined || !begin(botName)) return
      edit(undefined)
      onAsk()
    }
    return {
      siblingsOf,
      select,
      busy,
      editing,
      edit,
      ...(botName !== undefined && {
        regenerate: (reply: Message) => {
          const question = findQuestion(messages, reply)
          if (question !== undefined)
            write((bot) =>
              live.ask(beginAgain(question, bot, Date.now()), {
                path: '/api/chat/completions',
                body: { chatId: chat.id, userMessageId: question.id, botName: bot },
                failure: 'The reply could not be regenerated',
              }),
            )
        },
        resend: (message: Message, content: string) =>
          write((bot) =>
            live.send({ id: newMessageId(), parentId: message.parent_id, content, botName: bot }),
          ),
      }),
    }
  }, [siblingsOf, select, busy, editing, botName, onAsk, live, chat.id, messages])
}

/** What a reply answers: a message of the user, or the result of a tool. */
function findQuestion(messages: readonly Message[], reply: Message): Message | undefined {
  const byId = new Map(messages.map((message) => [message.id, message]))
  let message: Message | undefined = reply
  while (message !== undefined && message.role !== 'user') {
    byId.delete(message.id)
    message = message.parent_id === null ? undefined : byId.get(message.parent_id)
  }
  return message
}
