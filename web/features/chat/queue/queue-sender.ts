import type { Queue, QueueChange, QueueRequest } from '@yonder/contract/queue'
import { queuePath } from '../../../data/queue.ts'
import type { ApiClient } from '../../../lib/api/api-client.ts'
import {
  ApiError,
  isNotFound,
  isOutage,
  readReason,
  toFailure,
  UnconfirmedError,
  type Failure,
} from '../../../lib/api/api-error.ts'
import { waitToRetry } from '../../../lib/api/connection.ts'
import { browserStorage } from '../../../lib/browser-storage.ts'
import { logError } from '../../../lib/log-error.ts'
import { createStore } from '../../../lib/store.ts'
import { timeZoneField } from '../../../lib/time-zone.ts'
import { clearDraft, restoreDraft, storageKeys } from '../chat-storage.ts'
import type { ChatSession } from '../session/chat-session.ts'
import { createMessageId } from '../session/run-messages.ts'
import { queueOutbox, type UnqueuedMessage } from './queue-outbox.ts'

/** Milliseconds to wait for the server's confirmation. */
const maxResponseMs = 40_000
/** A message that another page has stored is sent here if that page has not done it in this time, in milliseconds. */
const maxOtherPageMs = 5000

/** The senders of the sessions of this page. They exist as long as the session. */
const senders = new WeakMap<ChatSession, QueueSender>()

export function queueSenderOf(api: ApiClient, chatId: string, session: ChatSession): QueueSender {
  const sender = senders.get(session) ?? new QueueSender(api, chatId, session)
  senders.set(session, sender)
  return sender
}

/**
 * Sends the messages in the outbox of a queue to the server, in order and one at a time, until each of them is confirmed
 * or refused. It waits for a message that the page sends the usual way, which goes first.
 */
export class QueueSender {
  readonly #api: ApiClient
  readonly #chatId: string
  readonly #session: ChatSession
  /** Why the first message is not confirmed yet, after an attempt that may succeed later. */
  readonly failure = createStore<Failure | undefined>(undefined)
  readonly #listeners = new Set<(queue: Queue) => void>()
  readonly #own = new Set<string>()
  readonly #takenBack = new Set<string>()
  /** How many components show the queue. */
  #starts = 0
  #isSending = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(api: ApiClient, chatId: string, session: ChatSession) {
    this.#api = api
    this.#chatId = chatId
    this.#session = session
  }

  /** Sends what is in the outbox, and what gets into it, until the returned function is called. */
  readonly start = (): (() => void) => {
    const stops = [browserStorage.subscribe(this.#check), this.#session.view.subscribe(this.#check)]
    this.#starts += 1
    this.#check()
    return () => {
      for (const stop of stops) stop()
      this.#starts -= 1
      clearTimeout(this.#timer)
    }
  }

  /** Calls `listener` with the queue in each response, until the returned function is called. */
  readonly onQueue = (listener: (queue: Queue) => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Stores a message, and sends it as soon as possible. */
  add(message: Omit<UnqueuedMessage, 'id' | 'queuedAt'>): void {
    const id = createMessageId()
    this.#own.add(id)
    queueOutbox.add(this.#chatId, { id, ...message, queuedAt: Date.now() })
  }

  /** Puts a message that is not confirmed back into the input. */
  takeBack(message: UnqueuedMessage): void {
    if (!queueOutbox.remove(this.#chatId, message.id)) return
    restoreDraft(storageKeys.draft(this.#chatId), message.content)
    this.#takenBack.add(message.id)
    void this.#withdraw(message)
  }

  /** Takes a message out of the queue that has reached the server although no response came. */
  async #withdraw({ id, content }: UnqueuedMessage): Promise<void> {
    const query = new URLSearchParams({ chatId: this.#chatId })
    try {
      const queue = await this.#api.delete<Queue>(`${queuePath}/${id}?${query}`)
      if (queue !== undefined) this.#show(queue)
    } catch (error) {
      if (isNotFound(error)) return
      logError('Error taking a message back', error)
      // It was sent already, so it is in the chat.
      if (error instanceof ApiError && error.status === 409)
        clearDraft(storageKeys.draft(this.#chatId), content)
    }
  }

  #show(queue: Queue): void {
    for (const listener of this.#listeners) listener(queue)
  }

  readonly #check = (): void => {
    if (!this.#isSending && this.#next() !== undefined) void this.#sendAll()
  }

  #next(): UnqueuedMessage | undefined {
    const [first] = queueOutbox.read(this.#chatId)
    if (first === undefined || this.#starts === 0) return undefined
    const { chat, phase, unsent } = this.#session.view.get()
    // A message that is sent again after an outage goes first, too.
    const isNext = phase !== 'sending' && !(unsent !== undefined && isOutage(unsent.failure))
    if (chat === undefined || !isNext) return undefined
    const waitMs = this.#own.has(first.id) ? 0 : first.queuedAt + maxOtherPageMs - Date.now()
    if (waitMs <= 0) return first
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#check, waitMs)
    return undefined
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true
    const { connection } = this.#api
    try {
      let failures = 0
      for (let message = this.#next(); message !== undefined; message = this.#next()) {
        const isDone = await this.#send(message)
        if (isDone === undefined) return
        failures = isDone ? 0 : failures + 1
        // The end of an outage ends the pause.
        const isOut = connection.get() === 'offline' || connection.get() === 'unreachable'
        await waitToRetry(failures > 0 && isOut ? longPause : failures, neverAborted, connection)
      }
    } finally {
      this.#isSending = false
    }
  }

  /**
   * Resolves with whether the message was confirmed, refused or removed; false if it is to be sent again. Undefined when
   * the user is signed out.
   */
  async #send(message: UnqueuedMessage): Promise<boolean | undefined> {
    try {
      const queue = await this.#request(message)
      if (queue === undefined) return undefined
      this.failure.set(undefined)
      if (this.#takenBack.has(message.id)) {
        await this.#withdraw(message)
        return true
      }
      this.#show(queue)
      queueOutbox.remove(this.#chatId, message.id)
      return true
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status < 500 && error.status !== 429
      logError('Error queueing message', error)
      if (!isRefused) {
        this.failure.set(toFailure(error))
        return false
      }
      this.failure.set(undefined)
      if (queueOutbox.remove(this.#chatId, message.id)) {
        restoreDraft(storageKeys.draft(this.#chatId), message.content)
        this.#session.notify(
          `Your message is in the input again, because it was not queued: ${readReason(error)}`,
        )
      }
      return true
    }
  }

  async #request({ id, content, botName, before }: UnqueuedMessage): Promise<Queue | undefined> {
    const chatId = this.#chatId
    const body: QueueRequest = { chatId, id, botName, content, ...timeZoneField() }
    const signal = AbortSignal.timeout(maxResponseMs)
    try {
      const queue = await this.#api.post<Queue>(queuePath, body, { signal })
      if (queue?.messages.some((message) => message.id === before) !== true) return queue
      const change: QueueChange = { chatId, before: before ?? null }
      // A message that is queued at another place is not worth a failure.
      return await this.#api.patch<Queue>(`${queuePath}/${id}`, change, { signal }).catch(() => queue)
    } catch (error) {
      if (!signal.aborted) throw error
      this.#api.connection.check()
      throw new UnconfirmedError()
    }
  }
}

/** Stands for so many failures that the pause is as long as it gets. */
const longPause = 10
const neverAborted = new AbortController().signal
