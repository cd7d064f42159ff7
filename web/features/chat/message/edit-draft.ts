import { browserStorage } from '../../../lib/browser-storage.ts'
import { storageKeys } from '../composer/chat-storage.ts'

/** The message of a chat that is being edited, and what it says by now. */
export interface EditDraft {
  readonly messageId: string
  readonly text: string
}

/** What a person has made of a message, kept so that leaving or reloading loses nothing. One message of a chat at a time. */
export const editDraft = {
  read(chatId: string): EditDraft | undefined {
    try {
      const draft: unknown = JSON.parse(browserStorage.read(storageKeys.edit(chatId)) ?? 'null')
      return isDraft(draft) ? draft : undefined
    } catch {
      return undefined
    }
  },
  write(chatId: string, { messageId, text }: EditDraft): void {
    browserStorage.write(storageKeys.edit(chatId), JSON.stringify({ messageId, text }))
  },
  clear(chatId: string): void {
    browserStorage.remove(storageKeys.edit(chatId))
  },
}

function isDraft(value: unknown): value is EditDraft {
  if (typeof value !== 'object' || value === null || !('messageId' in value && 'text' in value)) return false
  return typeof value.messageId === 'string' && typeof value.text === 'string'
}
