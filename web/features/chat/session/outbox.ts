import { browserStorage } from '../../../lib/browser-storage.ts'
import { storageKeys } from '../composer/storage-keys.ts'

/** A message on its way. Its id is made here, so that sending it twice stores it once. */
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
  /** Why it could not be sent; absent while it is on its way. */
  readonly failure?: string
}

/** Keeps the one message of a chat that the server has not confirmed yet, over reloads too. */
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
  /** Clears it when it holds the message of this id. */
  confirm(chatId: string, messageId: string | undefined): void {
    if (outbox.read(chatId)?.message.id === messageId) outbox.clear(chatId)
  },
  clear(chatId: string): void {
    browserStorage.remove(storageKeys.outbox(chatId))
  },
}
