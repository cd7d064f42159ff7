import type { LiveRun } from '@yonder/contract/live'
import type { ChatNews, Database } from '../db/database.ts'
import { sseFrame } from '../http/sse.ts'
import type { SseStream } from '../http/sse.ts'

export interface LiveHubOptions {
  readonly database: Database
  /** Names this process among those that share the database. */
  readonly nodeId: string
  /** For what a person cannot act on. */
  readonly onError: (error: unknown) => void
}

/** Who listens at this node to what happens in their chats, and the way of telling them. */
export class LiveHub {
  readonly #options: LiveHubOptions
  readonly #streams = new Map<string, Map<SseStream, Backlog>>()

  constructor(options: LiveHubOptions) {
    this.#options = options
  }

  get isEmpty(): boolean {
    return this.#streams.size === 0
  }

  has(userId: string): boolean {
    return this.#streams.has(userId)
  }

  /** Streams of one person at this node. */
  count(userId: string): number {
    return this.#streams.get(userId)?.size ?? 0
  }

  /**
   * From now on the stream gets what its user is told, but nothing before the returned function was called: it sends the
   * first line. `onLast` is called when no stream of this user is left.
   */
  add(userId: string, stream: SseStream, onLast: () => void): (runs: readonly LiveRun[]) => void {
    const streams = this.#streams.get(userId) ?? new Map<SseStream, Backlog>()
    this.#streams.set(userId, streams)
    const backlog: Backlog = { waiting: '' }
    streams.set(stream, backlog)
    stream.onClose(() => {
      streams.delete(stream)
      if (streams.size > 0) return
      this.#streams.delete(userId)
      onLast()
    })
    return (runs) => {
      stream.write(sseFrame(JSON.stringify({ type: 'ready', runs })) + (backlog.waiting ?? ''))
      backlog.waiting = undefined
    }
  }

  /** Sends frames to everybody who listens as this user. */
  tell(userId: string, frames: string): void {
    for (const [stream, backlog] of this.#streams.get(userId) ?? []) {
      if (backlog.waiting === undefined) stream.write(frames)
      else backlog.waiting += frames
    }
  }

  tellChatChanged(userId: string, chatId: string): void {
    if (this.has(userId)) this.tell(userId, sseFrame(JSON.stringify({ type: 'chat_changed', chatId })))
  }

  /** Tells it here and at every other node. */
  readonly chatChanged = (userId: string, chatId: string): void => {
    const { database, nodeId, onError } = this.#options
    this.tellChatChanged(userId, chatId)
    database.dialect.tellChatNews(database.db, { nodeId, userId, chatId }).catch(onError)
  }

  /** A node has told it. */
  onChat({ nodeId, userId, chatId }: ChatNews): void {
    if (nodeId !== this.#options.nodeId) this.tellChatChanged(userId, chatId)
  }

  /** News may be lost. Ends every stream: who comes back reads afresh what was missed. */
  onGap(): void {
    for (const streams of this.#streams.values()) for (const stream of streams.keys()) stream.end()
  }
}

interface Backlog {
  /** What was told before the first line; nothing once that is sent. */
  waiting: string | undefined
}
