import { type ListedSummary, maxListedChats } from '@yonder/contract/chat-list'
import type { LiveEvent } from '@yonder/contract/live'

/** Milliseconds for which changes of a user's chats are collected: a reply that starts changes its chat several times. */
const collectMs = 100

export interface ChangedChatsDeps {
  /** Reads what lists show of a user's chats. Those that no longer exist are left out. */
  readonly readChats: (userId: string, chatIds: readonly string[]) => Promise<readonly ListedSummary[]>
  /** Whether the user has a live stream at this node. */
  readonly has: (userId: string) => boolean
  readonly send: (userId: string, event: LiveEvent) => void
  readonly onError: (error: unknown) => void
}

/** Sends what lists show of changed chats to their users, while these have a live stream at this node. */
export class ChangedChats {
  readonly #deps: ChangedChatsDeps
  /** The ids of changed chats that are not sent yet, by user. A user stays here while chats are read. */
  readonly #pending = new Map<string, Set<string>>()
  #sending = Promise.resolve()

  constructor(deps: ChangedChatsDeps) {
    this.#deps = deps
  }

  add(userId: string, chatIds: readonly string[]): void {
    if (chatIds.length === 0 || !this.#deps.has(userId)) return
    const pending = this.#pending.get(userId)
    for (const id of chatIds) pending?.add(id)
    if (pending !== undefined) return
    this.#pending.set(userId, new Set(chatIds))
    this.#sendSoon(userId)
  }

  /** Resolves when nothing is read any more. Call it after the streams have ended. */
  async close(): Promise<void> {
    this.#pending.clear()
    await this.#sending
  }

  #sendSoon(userId: string): void {
    setTimeout(() => {
      const sent = this.#sendPending(userId)
      this.#sending = Promise.all([this.#sending, sent]).then(() => undefined)
    }, collectMs).unref()
  }

  async #sendPending(userId: string): Promise<void> {
    const pending = this.#pending.get(userId)
    const ids = [...(pending ?? [])]
    pending?.clear()
    try {
      await this.#send(userId, ids)
    } catch (error) {
      this.#deps.onError(error)
      // Pages try to read until they can.
      this.#deps.send(userId, { type: 'changed', what: 'chats' })
    }
    // Not before: of two reads at once, the older one might be sent last.
    if (pending !== undefined && pending.size > 0) this.#sendSoon(userId)
    else this.#pending.delete(userId)
  }

  async #send(userId: string, ids: readonly string[]): Promise<void> {
    const { has, send, readChats } = this.#deps
    if (ids.length === 0 || !has(userId)) return
    if (ids.length > maxListedChats) return send(userId, { type: 'changed', what: 'chats' })
    const chats = await readChats(userId, ids)
    const found = new Set(chats.map(({ id }) => id))
    send(userId, { type: 'chats_listed', chats: [...chats], gone: ids.filter((id) => !found.has(id)) })
  }
}
