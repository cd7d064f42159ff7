import { browserStorage } from '../../../lib/browser-storage.ts'
import { storageKeys } from '../composer/storage-keys.ts'

/** Leaves the first message of a new chat, and the bot to answer it, for the chat's own screen (§2.21). */
export function leaveHandover(chatId: string, content: string, botName: string): void {
  browserStorage.write(storageKeys.newMessage(chatId), content)
  browserStorage.write(storageKeys.newBot(chatId), botName)
}
