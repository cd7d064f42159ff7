import type { LiveEvent, LiveRun, SettingsList } from '@yonder/contract/live'
import type { ChangeNotification, Database } from '../db/database.ts'
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
    this.#tellLine(userId, { type: 'chat_changed', chatId })
  }

  /** Tells it here and at every other node. */
  readonly chatChanged = (userId: string, chatId: string): void => {
    this.tellChatChanged(userId, chatId)
    this.#tellNodes('chat', userId, chatId)
  }

  /** Tells here and at every other node that a list of settings reads differently now. */
  readonly settingsChanged = (userId: string, what: SettingsList): void => {
    this.#tellLine(userId, { type: 'changed', what })
    this.#tellNodes('settings', userId, what)
  }

  /** A node has told it. */
  onChange({ topic, nodeId, userId, subject }: ChangeNotification): void {
    if (nodeId === this.#options.nodeId) return
    if (topic === 'chat') this.tellChatChanged(userId, subject)
    // A newer node may name a list that is not known here: the pages will know, or pass it over.
    else this.#tellLine(userId, { type: 'changed', what: subject as SettingsList })
  }

  /** News may be lost. Ends every stream: who comes back reads afresh what was missed. */
  onGap(): void {
    for (const streams of this.#streams.values()) for (const stream of streams.keys()) stream.end()
  }

  #tellLine(userId: string, line: LiveEvent): void {
    if (this.has(userId)) this.tell(userId, sseFrame(JSON.stringify(line)))
  }

  #tellNodes(topic: ChangeNotification['topic'], userId: string, subject: string): void {
    const { database, nodeId, onError } = this.#options
    database.dialect.notifyChange(database.db, { topic, nodeId, userId, subject }).catch(onError)
  }
}

interface Backlog {
  /** What was told before the first line; nothing once that is sent. */
  waiting: string | undefined
}
