import { maxListedChats } from '@yonder/contract/chat-list'
import type { LiveEvent, LiveRun, SettingsList } from '@yonder/contract/live'
import type { ChangeNotification, Database } from '../db/database.ts'
import { sseFrame, type SseStream } from '../http/sse.ts'
import { ChangedChats, type ChangedChatsDeps } from './changed-chats.ts'

/** The most chats in one notification of other nodes, because PostgreSQL limits a notification to 8,000 bytes. */
const maxNotifiedChats = 100

export interface LiveHubDeps {
  readonly database: Database
  /** Identifies this process among those that share the database. */
  readonly nodeId: string
  /** Reads what lists show of a user's chats. Those that no longer exist are left out. */
  readonly readListedChats: ChangedChatsDeps['readChats']
}

/** Holds the open live streams of this node by user, and sends notifications to them. */
export class LiveHub {
  readonly #deps: LiveHubDeps
  readonly #onError: (error: unknown) => void
  readonly #streams = new Map<string, Map<SseStream, Backlog>>()
  readonly #changedChats: ChangedChats

  /** `onError` receives errors that no user can act on. */
  constructor(deps: LiveHubDeps, onError: (error: unknown) => void) {
    this.#deps = deps
    this.#onError = onError
    this.#changedChats = new ChangedChats({
      readChats: deps.readListedChats,
      has: (userId) => this.has(userId),
      send: (userId, event) => this.#sendEvent(userId, event),
      onError,
    })
  }

  get isEmpty(): boolean {
    return this.#streams.size === 0
  }

  has(userId: string): boolean {
    return this.#streams.has(userId)
  }

  /** The number of streams at this node. */
  get size(): number {
    return [...this.#streams.values()].reduce((sum, streams) => sum + streams.size, 0)
  }

  /** The number of a user's streams at this node. */
  count(userId: string): number {
    return this.#streams.get(userId)?.size ?? 0
  }

  /**
   * Subscribes a stream to its user's notifications. They are held back until the returned function is called, which
   * sends the first event. `onLastClosed` is called when the user's last stream at this node closes.
   */
  add(userId: string, stream: SseStream, onLastClosed: () => void): (runs: readonly LiveRun[]) => void {
    const streams = this.#streams.get(userId) ?? new Map<SseStream, Backlog>()
    this.#streams.set(userId, streams)
    const backlog: Backlog = { pending: '' }
    streams.set(stream, backlog)
    stream.onClose(() => {
      streams.delete(stream)
      if (streams.size > 0) return
      this.#streams.delete(userId)
      onLastClosed()
    })
    return (runs) => {
      stream.write(sseFrame(JSON.stringify({ type: 'ready', runs })) + (backlog.pending ?? ''))
      backlog.pending = undefined
    }
  }

  /** Sends frames to every stream of a user at this node. */
  send(userId: string, frames: string): void {
    for (const [stream, backlog] of this.#streams.get(userId) ?? []) {
      if (backlog.pending === undefined) stream.write(frames)
      else backlog.pending += frames
    }
  }

  /** Notifies the user's streams at this node only. */
  sendChatChanged(userId: string, chatId: string): void {
    this.#sendEvent(userId, { type: 'chat_changed', chatId })
    this.sendListed(userId, [chatId])
  }

  /** Sends soon what lists show of these chats, to the user's streams at this node only. */
  sendListed(userId: string, chatIds: readonly string[]): void {
    this.#changedChats.add(userId, chatIds)
  }

  /** Notifies the user's streams at this node and at every other node. */
  readonly notifyChatChanged = (userId: string, chatId: string): void => {
    this.sendChatChanged(userId, chatId)
    this.#notifyNodes('chat', userId, chatId)
  }

  /**
   * Notifies the user's streams at this node and at every other node that lists show something else of these chats, whose
   * messages have not changed.
   */
  readonly notifyChatsChanged = (userId: string, chatIds: readonly string[]): void => {
    if (chatIds.length > maxListedChats) return this.notifySettingsChanged(userId, 'chats')
    this.sendListed(userId, chatIds)
    for (let at = 0; at < chatIds.length; at += maxNotifiedChats)
      this.#notifyNodes('list', userId, chatIds.slice(at, at + maxNotifiedChats).join(' '))
  }

  /** Notifies the user's streams at this node and at every other node that a list has changed. */
  readonly notifySettingsChanged = (userId: string, what: SettingsList): void => {
    this.#sendEvent(userId, { type: 'changed', what })
    this.#notifyNodes('settings', userId, what)
  }

  /** Passes on a notification of another node. */
  onChange({ topic, nodeId, userId, subject }: ChangeNotification): void {
    if (nodeId === this.#deps.nodeId) return
    if (topic === 'chat') this.sendChatChanged(userId, subject)
    else if (topic === 'list') this.sendListed(userId, subject.split(' '))
    // A newer node may send a list that is unknown here. Browsers ignore unknown lists.
    else this.#sendEvent(userId, { type: 'changed', what: subject as SettingsList })
  }

  /** Notifications may have been lost, so every stream ends: clients reconnect and load what they missed. */
  onGap(): void {
    this.endStreams()
  }

  endStreams(): void {
    for (const streams of this.#streams.values()) for (const stream of streams.keys()) stream.end()
  }

  /** Ends every stream. Resolves when the database is no longer read for one. */
  async close(): Promise<void> {
    this.endStreams()
    await this.#changedChats.close()
  }

  #sendEvent(userId: string, event: LiveEvent): void {
    if (this.has(userId)) this.send(userId, sseFrame(JSON.stringify(event)))
  }

  #notifyNodes(topic: ChangeNotification['topic'], userId: string, subject: string): void {
    const { database, nodeId } = this.#deps
    database.dialect.notifyChange(database.db, { topic, nodeId, userId, subject }).catch(this.#onError)
  }
}

interface Backlog {
  /** Frames held back until the first event; undefined once it is sent. */
  pending: string | undefined
}
