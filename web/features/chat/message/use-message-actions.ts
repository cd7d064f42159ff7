import type { Chat } from '@yonder/contract/chat'
import type { Message } from '@yonder/contract/message'
import { useCallback, useMemo, useState } from 'react'
import { beginAgain } from '../session/begin-run.ts'
import { editDraft } from './edit-draft.ts'
import { indexSiblings } from '../list/index-siblings.ts'
import type { LiveChat } from '../session/live-chat.ts'
import type { Editing, MessageActions } from './message-actions.ts'
import { newMessageId } from '../session/new-message-id.ts'
import { useSelectBranch } from '../session/use-select-branch.ts'

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
  const { editing, edit, keepEdit } = useEditing(chat.id)
  const select = useSelectBranch(chat.id)
  const { messages } = chat
  const siblingsOf = useMemo(() => indexSiblings(messages), [messages])
  return useMemo(() => {
    const write = (begin: (bot: string) => boolean) => {
      const begun = botName !== undefined && begin(botName)
      if (begun) onAsk()
      return begun
    }
    return {
      siblingsOf,
      select,
      busy,
      editing,
      edit,
      keepEdit,
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
        resend: (message: Message, content: string) => {
          const sent = write((bot) =>
            live.send({ id: newMessageId(), parentId: message.parent_id, content, botName: bot }),
          )
          if (sent) edit(undefined)
        },
      }),
    }
  }, [siblingsOf, select, busy, editing, edit, keepEdit, botName, onAsk, live, chat.id, messages])
}

/** Which message is edited. One that was left in the middle of it is open again. */
function useEditing(chatId: string): Pick<MessageActions, 'editing' | 'edit' | 'keepEdit'> {
  const [editing, setEditing] = useState<Editing | undefined>(() => {
    const draft = editDraft.read(chatId)
    return draft && { messageId: draft.messageId, kept: draft.text }
  })
  const edit = useCallback(
    (messageId: string | undefined) => {
      editDraft.clear(chatId)
      setEditing(messageId === undefined ? undefined : { messageId })
    },
    [chatId],
  )
  const messageId = editing?.messageId
  const keepEdit = useCallback(
    (text: string | undefined) => {
      if (messageId === undefined || text === undefined) editDraft.clear(chatId)
      else editDraft.write(chatId, { messageId, text })
    },
    [chatId, messageId],
  )
  return { editing, edit, keepEdit }
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
