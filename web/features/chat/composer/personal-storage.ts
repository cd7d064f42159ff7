import { browserStorage } from '../../../lib/browser-storage.ts'
import { storageKeys } from './storage-keys.ts'

/** Names whose the entries are. */
const ownerKey = 'chat_storage_owner'
/** What is made of a chat's id in `storageKeys`, and what a person has entered for its tools. */
const texts = /^(chat_.+_(draft|edit|outbox|question_.+)|newChat_.+_(message|bot))$/
const choices = /^chat_.+_selectedBot$/

/** What chats keep in a browser belongs to one person, also where several use it one after the other. */
export const personalStorage = {
  /** Called for who is signed in, before anything is read: what another person has left goes. */
  claim(userId: string): void {
    const owner = browserStorage.read(ownerKey)
    if (owner === userId) return
    if (owner !== null) remove((key) => isText(key) || key === storageKeys.homeBot || choices.test(key))
    browserStorage.write(ownerKey, userId)
  },
  /** Called when somebody signs out: nothing that they wrote stays behind. Which bots they like may. */
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
