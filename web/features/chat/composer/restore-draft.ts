import { storageKeys } from './storage-keys.ts'
import { drafts } from './use-draft.ts'

/** Puts a text back into a chat's input, before what has been written there since. */
export function restoreDraft(chatId: string, text: string): void {
  const key = storageKeys.draft(chatId)
  const written = drafts.read(key)
  if (written.trim() === text.trim()) return
  drafts.write(key, written.trim() === '' ? text : `${text}\n\n${written}`)
}
