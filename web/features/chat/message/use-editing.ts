import { useCallback, useState } from 'react'
import { browserStorage } from '../../../lib/browser-storage.ts'
import { storageKeys } from '../composer/chat-storage.ts'
import type { Editing, MessageActions } from './message-context.ts'

interface EditDraft {
  readonly messageId: string
  readonly text: string
}

/** The text of the message that is being edited, stored so that leaving or reloading loses nothing. A chat has at most one. */
const editDraft = {
  read(chatId: string): EditDraft | undefined {
    try {
      const draft: unknown = JSON.parse(browserStorage.read(storageKeys.edit(chatId)) ?? 'null')
      return isDraft(draft) ? draft : undefined
    } catch {
      return undefined
    }
  },
  write(chatId: string, draft: EditDraft): void {
    browserStorage.write(storageKeys.edit(chatId), JSON.stringify(draft))
  },
  clear(chatId: string): void {
    browserStorage.remove(storageKeys.edit(chatId))
  },
}

function isDraft(value: unknown): value is EditDraft {
  if (typeof value !== 'object' || value === null || !('messageId' in value && 'text' in value)) return false
  return typeof value.messageId === 'string' && typeof value.text === 'string'
}

/** The message that is being edited. An edit that was open when the chat was left is restored (§14.3). */
export function useEditing(chatId: string): Pick<MessageActions, 'editing' | 'edit' | 'storeEdit'> {
  const [editing, setEditing] = useState<Editing | undefined>(() => {
    const draft = editDraft.read(chatId)
    return draft && { messageId: draft.messageId, stored: draft.text }
  })
  const edit = useCallback(
    (messageId: string | undefined) => {
      editDraft.clear(chatId)
      setEditing(messageId === undefined ? undefined : { messageId })
    },
    [chatId],
  )
  const messageId = editing?.messageId
  const storeEdit = useCallback(
    (text: string | undefined) => {
      if (messageId === undefined || text === undefined) editDraft.clear(chatId)
      else editDraft.write(chatId, { messageId, text })
    },
    [chatId, messageId],
  )
  return { editing, edit, storeEdit }
}
