import type { Chat } from '@yonder/contract/chat'
import type { ApiClient } from '../../../lib/api/api-client.ts'
import { isNotFound } from '../../../lib/api/api-error.ts'
import { readOptions } from '../../../lib/api/api-provider.tsx'
import { readsAfterReconnection } from '../../../lib/streams/live-feed.ts'

export interface ChatReaderHandlers {
  readonly onStart: () => void
  readonly onRead: (chat: Chat) => void
  /** Called without an error when the user is signed out. */
  readonly onFailure: (error?: Error) => void
}

/**
 * Loads a chat while it is open, with the same timing as other reads. It does not use SWR, because
 * the session must know whether a read is in progress, to defer live updates until it ends.
 */
export class ChatReader {
  readonly #api: ApiClient
  readonly #path: string
  readonly #handlers: ChatReaderHandlers
  #reads = 0
  /** When the last read began, in milliseconds since 1970; 0 after a failure. */
  #readAt = 0
  #isOpen = false
  #retry: ReturnType<typeof setTimeout> | undefined

  constructor(api: ApiClient, chatId: string, handlers: ChatReaderHandlers) {
    this.#api = api
    this.#path = `/api/chats/${encodeURIComponent(chatId)}`
    this.#handlers = handlers
  }

  open(): void {
    this.#isOpen = true
    window.addEventListener('online', this.#onOnline)
    this.#refresh()
  }

  close(): void {
    this.#isOpen = false
    clearTimeout(this.#retry)
    window.removeEventListener('online', this.#onOnline)
  }

  /** Reads the chat now. The result of an earlier read that is still in progress is ignored. */
  async read(): Promise<void> {
    clearTimeout(this.#retry)
    const number = (this.#reads += 1)
    this.#readAt = Date.now()
    this.#handlers.onStart()
    const { chat, error } = await this.#tryRead()
    if (number !== this.#reads) return
    // A chat that does not exist is read again when its user has restored it.
    if (error !== undefined && !isNotFound(error)) this.#retryLater()
    if (chat === undefined) this.#handlers.onFailure(error)
    else this.#handlers.onRead(chat)
  }

  async #tryRead(): Promise<{ chat?: Chat | undefined; error?: Error }> {
    try {
      return { chat: await this.#api.read<Chat>(this.#path) }
    } catch (error) {
      readOptions.onError(error, this.#path)
      return { error: error instanceof Error ? error : new Error(String(error)) }
    }
  }

  #retryLater(): void {
    this.#readAt = 0
    if (this.#isOpen) this.#retry = setTimeout(() => void this.read(), readOptions.errorRetryInterval)
  }

  readonly #onOnline = (): void => {
    if (!readsAfterReconnection(this.#api.live.state.get())) this.#refresh()
  }

  #refresh(): void {
    if (Date.now() - this.#readAt >= readOptions.dedupingInterval) void this.read()
  }
}
