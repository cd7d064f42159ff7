import { browserStorage } from '../../../lib/browser-storage.ts'
import type { OutgoingMessage } from './outbox.ts'
import { storageKeys } from '../composer/storage-keys.ts'

/**
 * The first message that another screen left for this chat (§4.16), taken so that it is there once; its bot is
 * remembered for the chat. The id follows from the chat's, so two tabs that both take it still send one message.
 */
export function takeHandover(chatId: string): OutgoingMessage | undefined {
  const content = browserStorage.read(storageKeys.newMessage(chatId))
  const botName = browserStorage.read(storageKeys.newBot(chatId))
  if (content === null || content.trim() === '' || botName === null) return undefined
  browserStorage.remove(storageKeys.newMessage(chatId))
  browserStorage.remove(storageKeys.newBot(chatId))
  browserStorage.write(storageKeys.chatBot(chatId), botName)
  return { id: `${chatId.slice(0, 58)}_first`, parentId: null, content, botName }
}
