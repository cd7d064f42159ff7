import type { MessageContent } from '@yonder/contract/message'
import { browserStorage } from '../../../lib/browser-storage.ts'
import { storageKeys } from '../chat-storage.ts'

/** A message for the queue that the server has not confirmed. The page creates its id, so that it is queued once. */
export interface UnqueuedMessage {
  readonly id: string
  readonly content: MessageContent
  readonly botName: string
  /** The id of the message before which it is put; by default the end. */
  readonly before?: string | undefined
  /** When the user queued it, in milliseconds since 1970. Only its own page sends it in the first seconds after that. */
  readonly queuedAt: number
}

/** Stores these messages of a chat in the order in which they were written, so that neither a reload nor an outage loses one. */
export const queueOutbox = {
  /** Equal texts stand for equal messages; null for none. */
  readText: (chatId: string): string | null => browserStorage.read(storageKeys.queue(chatId)),
  read: (chatId: string): readonly UnqueuedMessage[] => parseUnqueued(queueOutbox.readText(chatId)),
  add(chatId: string, message: UnqueuedMessage): void {
    write(chatId, [...queueOutbox.read(chatId), message])
  },
  /** Returns whether the message was there: of several pages, only one gets true. */
  remove(chatId: string, id: string): boolean {
    const messages = queueOutbox.read(chatId)
    const others = messages.filter((message) => message.id !== id)
    if (others.length === messages.length) return false
    write(chatId, others)
    return true
  },
}

/** Parses what `readText` returns. */
export function parseUnqueued(text: string | null): readonly UnqueuedMessage[] {
  try {
    return (JSON.parse(text ?? '[]') ?? []) as readonly UnqueuedMessage[]
  } catch {
    return []
  }
}

function write(chatId: string, messages: readonly UnqueuedMessage[]): void {
  if (messages.length === 0) browserStorage.remove(storageKeys.queue(chatId))
  else browserStorage.write(storageKeys.queue(chatId), JSON.stringify(messages))
}
