import { browserStorage } from '../../../lib/browser-storage.ts'
import { storageKeys } from '../composer/chat-storage.ts'

/** A message to be sent. The page creates its id, so that sending it twice stores it once. */
export interface OutgoingMessage {
  readonly id: string
  readonly parentId: string | null
  readonly content: string
  readonly botName: string
}

interface OutboxEntry {
  readonly message: OutgoingMessage
  /** Milliseconds since 1970. */
  readonly sentAt: number
  /** Why it could not be sent; absent while there is no response. */
  readonly failure?: string
}

/** Stores the message of a chat that the server has not confirmed, so that a reload does not lose it (§10.21). */
export const outbox = {
  read(chatId: string): OutboxEntry | undefined {
    const stored = browserStorage.read(storageKeys.outbox(chatId))
    if (stored === null) return undefined
    try {
      return JSON.parse(stored) as OutboxEntry
    } catch {
      return undefined
    }
  },
  write(chatId: string, entry: OutboxEntry): void {
    browserStorage.write(storageKeys.outbox(chatId), JSON.stringify(entry))
  },
  /** Clears the outbox if it contains the message with this id. */
  confirm(chatId: string, messageId: string | undefined): void {
    if (outbox.read(chatId)?.message.id === messageId) outbox.clear(chatId)
  },
  clear(chatId: string): void {
    browserStorage.remove(storageKeys.outbox(chatId))
  },
}

/** Passes the first message of a new chat from the home page to the page of the chat (§2.21, §4.16). */
export const handover = {
  leave(chatId: string, content: string, botName: string): void {
    browserStorage.write(storageKeys.newMessage(chatId), content)
    browserStorage.write(storageKeys.newBot(chatId), botName)
  },
  /**
   * Removes and returns the message, and saves its bot as the chat's choice. The message id is derived from the chat's
   * id, so that two tabs that both take the message still send it once.
   */
  take(chatId: string): OutgoingMessage | undefined {
    const content = browserStorage.read(storageKeys.newMessage(chatId))
    const botName = browserStorage.read(storageKeys.newBot(chatId))
    if (content === null || content.trim() === '' || botName === null) return undefined
    browserStorage.remove(storageKeys.newMessage(chatId))
    browserStorage.remove(storageKeys.newBot(chatId))
    browserStorage.write(storageKeys.chatBot(chatId), botName)
    return { id: `${chatId.slice(0, 58)}_first`, parentId: null, content, botName }
  },
}

/** Returns 128 random bits in hex. `crypto.randomUUID` needs HTTPS, so it may be missing. */
export function createMessageId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
