import { browserStorage } from '../../../lib/browser-storage.ts'

/** The browser storage keys of chats (§3.20). Those of drafts, edits and the outbox are not in the specification. */
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

/** The id of the user whose entries these are. */
const ownerKey = 'chat_storage_owner'
/** What the user has written: the keys above that hold text, and entries for elicitations of tools. */
const texts = /^(chat_.+_(draft|edit|outbox|question_.+)|newChat_.+_(message|bot))$/
const botChoices = /^chat_.+_selectedBot$/

/** What chats store in a browser belongs to one user, also where several users share the browser (§15.12). */
export const personalStorage = {
  /** Called with the signed-in user before anything is read: removes what another user has left. */
  claim(userId: string): void {
    const owner = browserStorage.read(ownerKey)
    if (owner === userId) return
    if (owner !== null) remove((key) => isText(key) || key === storageKeys.homeBot || botChoices.test(key))
    browserStorage.write(ownerKey, userId)
  },
  /** Called on sign-out: removes every text. The choice of bots may stay. */
  clearTexts(): void {
    remove(isText)
  },
}

function isText(key: string): boolean {
  return key === storageKeys.homeDraft || texts.test(key)
}

function remove(isGone: (key: string) => boolean): void {
  for (const key of browserStorage.keys()) if (isGone(key)) browserStorage.remove(key)
}
