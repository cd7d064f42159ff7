import { browserStorage } from '../../../lib/browser-storage.ts'

/**
 * The browser storage keys of chats (§3.20). The keys of drafts, edits and the outbox are not in the specification
 * (§3.23, §3.24, §3.25).
 */
export const storageKeys = {
  homeBot: 'home_page_selected_bot',
  homeDraft: 'home_page_draft',
  chatBot: (chatId: string) => `chat_${chatId}_selectedBot`,
  newMessage: (chatId: string) => `newChat_${chatId}_message`,
  newBot: (chatId: string) => `newChat_${chatId}_bot`,
  edit: (chatId: string) => `chat_${chatId}_edit`,
  draft: (chatId: string) => `chat_${chatId}_draft`,
  outbox: (chatId: string) => `chat_${chatId}_outbox`,
} as const

/** Stores the id of the user who owns the other entries. */
const ownerKey = 'chat_storage_owner'
/** The keys of text that the user has written, form entries for elicitations of tools included. */
const textKeys = /^(chat_.+_(draft|edit|outbox|question_.+)|newChat_.+_(message|bot))$/
const botChoiceKeys = /^chat_.+_selectedBot$/

/** The chat data in browser storage belongs to one user, even if several users share the browser (§15.12). */
export const personalStorage = {
  /** Called with the signed-in user's id before anything is read. Removes the entries of another user. */
  claim(userId: string): void {
    const owner = browserStorage.read(ownerKey)
    if (owner === userId) return
    if (owner !== null)
      removeKeys((key) => isTextKey(key) || key === storageKeys.homeBot || botChoiceKeys.test(key))
    browserStorage.write(ownerKey, userId)
  },
  /** Called on sign-out. Removes every text, but not the selected bots. */
  clearTexts(): void {
    removeKeys(isTextKey)
  },
}

function isTextKey(key: string): boolean {
  return key === storageKeys.homeDraft || textKeys.test(key)
}

function removeKeys(shouldRemove: (key: string) => boolean): void {
  for (const key of browserStorage.keys()) if (shouldRemove(key)) browserStorage.remove(key)
}
