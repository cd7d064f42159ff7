import type { Chat } from '@yonder/contract/chat'
import type { Message } from '@yonder/contract/message'
import { useCallback, useMemo, useState } from 'react'
import { editDraft } from './edit-draft.ts'
import { indexSiblings } from '../list/index-siblings.ts'
import type { ChatSession } from '../session/chat-session.ts'
import type { Editing, MessageActions } from './message-actions.ts'

export interface MessageActionsOptions {
  /** As it is shown, with what is being written. */
  readonly chat: Chat
  readonly session: ChatSession
  readonly busy: boolean
  /** Who answers; undefined until there is a bot. */
  readonly botName: string | undefined
  /** Called when another version of something has been asked for. */
  readonly onAsk: () => void
}

/** What the owner can do with the messages of a chat; the same object for as long as nothing of it changes. */
export function useMessageActions(options: MessageActionsOptions): MessageActions {
  const { chat, session, busy, botName, onAsk } = options
  const { editing, edit, keepEdit } = useEditing(chat.id)
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
      select: session.selectBranch,
      busy,
      editing,
      edit,
      keepEdit,
      ...(botName !== undefined && {
        regenerate: (reply: Message) => {
          write((bot) => session.regenerate(reply, bot))
        },
        resend: (message: Message, content: string) => {
          const sent = write((bot) => session.send({ parentId: message.parent_id, content, botName: bot }))
          if (sent) edit(undefined)
        },
      }),
    }
  }, [siblingsOf, busy, editing, edit, keepEdit, botName, onAsk, session])
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
