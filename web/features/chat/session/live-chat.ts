import type { RunState } from '@yonder/contract/apply-event'
import type { Chat } from '@yonder/contract/chat'
import type { RunEvent } from '@yonder/contract/completion'
import type { Message } from '@yonder/contract/message'
import type { ApiClient } from '../../../lib/api-client.ts'
import type { SharedStreamState } from '../../../lib/share-stream.ts'
import { logError } from '../../../lib/log-error.ts'
import { readErrorBody } from '../../../lib/read-error-body.ts'
import { readReason } from '../../../lib/read-reason.ts'
import { beginRun } from './begin-run.ts'
import { ChatHearing } from './chat-hearing.ts'
import { isEndedRun } from './is-ended-run.ts'
import { idleShape } from './live-shape.ts'
import type { LivePhase, LiveShape } from './live-shape.ts'
import { connectStream } from '../../../lib/connect-stream.ts'
import type { ConnectedStream } from '../../../lib/connect-stream.ts'
import { outbox } from './outbox.ts'
import type { OutgoingMessage } from './outbox.ts'
import { overlayRun } from './overlay-run.ts'
import { requestRun } from './request-run.ts'
import type { RunRequest } from './request-run.ts'
import { restoreDraft } from '../composer/restore-draft.ts'
import { resumeRun } from './resume-run.ts'
import { takeHandover } from './take-handover.ts'
import { watchRun } from './watch-run.ts'

/** Milliseconds that a stream stays open after the last view of its chat has gone. */
const lingerTime = 3000
/** Milliseconds after which a message without an answer counts as not sent, when another page finds it. */
const answerTime = 5000

/** The cached answer to `GET /api/chats/{id}`. */
export interface ChatCache {
  readonly read: () => Chat | undefined
  readonly change: (change: (chat: Chat) => Chat) => void
  /** Reads the chat again. */
  readonly refresh: () => void
}

/**
 * A chat while something is written into it: sends, follows the stream, joins it again when it breaks, stops it. The
 * live text stands here and not in the cache of reads, so a token changes one message and not the chat. When a run has
 * ended its messages move to the cache.
 */
export class LiveChat {
  /** What the live stream tells of this chat. */
  readonly hearing: ChatHearing
  readonly #isFed: () => boolean
  readonly #chatId: string
  readonly #api: ApiClient
  readonly #cache: ChatCache
  readonly #listeners = new Set<() => void>()
  readonly #eventListeners = new Set<(event: RunEvent) => void>()
  #shape: LiveShape = idleShape
  #run: RunState | undefined
  /** The last run that ended here. */
  #ended: RunState | undefined
  #abort = new AbortController()
  #stopWanted = false
  /** Why the run will end, where that does not stand in it. */
  #reason: string | undefined
  #frame: number | undefined
  #linger: ReturnType<typeof setTimeout> | undefined

  /** `isFed` tells whether runs that began elsewhere come through `hearing`. */
  constructor(chatId: string, api: ApiClient, cache: ChatCache, isFed: () => boolean) {
    this.#chatId = chatId
    this.#api = api
    this.#cache = cache
    this.#isFed = isFed
    this.hearing = new ChatHearing({
      isShown: () => this.#listeners.size > 0,
      getRun: () => this.#run,
      getEnded: () => this.#ended,
      getCached: cache.read,
      advance: (run, event) => this.#advance(run, event),
      begin: (run, question) => this.#join(run, question),
      refresh: cache.refresh,
    })
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    clearTimeout(this.#linger)
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#linger = setTimeout(() => this.#detach(), lingerTime)
    }
  }

  /** Tells every event of this chat's runs once, as it comes. */
  readonly listen = (listener: (event: RunEvent) => void): (() => void) => {
    this.#eventListeners.add(listener)
    return () => this.#eventListeners.delete(listener)
  }

  readonly getShape = (): LiveShape => this.#shape

  /** A message of the run with the text that has come so far. */
  getMessage(id: string): Message | undefined {
    return this.#run?.messages.find((message) => message.id === id)
  }

  /** Reads the chat, and takes up what it tells: a run to follow, a first message to send (§4.16). */
  readonly load = (): Promise<Chat | undefined> =>
    this.hearing.whileReading(
      () => this.#api.read<Chat>(`/api/chats/${encodeURIComponent(this.#chatId)}`),
      (chat) => this.#takeUp(chat),
    )

  /** How the live stream stands; without it the chat follows its run by itself. */
  changeFeed(state: SharedStreamState): void {
    if (this.hearing.liveId === undefined) return
    if (state !== 'unavailable') return this.#changeConnection(state === 'open')
    this.hearing.liveId = undefined
    void this.#watch(undefined, this.#abort.signal)
  }

  /** Shows the message and an empty reply at once, then asks for the reply (§4.14). Answers false while one is written. */
  send(message: OutgoingMessage): boolean {
    if (this.#run !== undefined) return false
    const { unsent } = this.#shape
    if (unsent !== undefined && unsent.message.id !== message.id)
      restoreDraft(this.#chatId, unsent.message.content)
    outbox.write(this.#chatId, { message, sentAt: Date.now() })
    this.#shape = idleShape
    this.#follow(beginRun(message, Date.now()), 'sending')
    void this.#post(message, this.#abort.signal)
    return true
  }

  /** Shows `run` until the server has answered, then what it writes. Answers false while something else is written. */
  ask(run: RunState, request: RunRequest): boolean {
    if (this.#run !== undefined) return false
    this.#follow(run, 'sending')
    void this.#request(request, this.#abort.signal)
    return true
  }

  /** Gives the text of a message that was not sent back to the input. */
  withdraw(): void {
    const { unsent } = this.#shape
    if (unsent === undefined) return
    outbox.clear(this.#chatId)
    restoreDraft(this.#chatId, unsent.message.content)
    this.#show({ ...this.#shape, unsent: undefined })
  }

  /** Ends the run on the server, then the stream, and reads the chat again (§4.15). */
  async stop(): Promise<void> {
    if (this.#run === undefined || this.#shape.phase === 'stopping') return
    this.#show({ ...this.#shape, phase: 'stopping', notice: undefined })
    // Until the message is confirmed there is no run that could be stopped.
    this.#stopWanted = this.#run.seq === 0
    if (this.#stopWanted) return
    const { signal } = this.#abort
    try {
      await this.#api.post('/api/chat/stop', { chatId: this.#chatId })
    } catch (error) {
      logError('Error stopping reply', error)
      if (signal.aborted) return
      const notice = `The reply could not be stopped: ${readReason(error)}`
      this.#show({ ...this.#shape, phase: 'streaming', notice })
      return
    }
    if (signal.aborted) return
    this.#settle()
    this.#cache.refresh()
  }

  async #post(message: OutgoingMessage, signal: AbortSignal): Promise<void> {
    try {
      const body = { ...message, chatId: this.#chatId }
      const stream = await connectStream(this.#api, '/api/chat/completions', { method: 'POST', body }, signal)
      if (stream === undefined) this.#drop()
      else if (stream.response.ok) await this.#watch(stream, signal)
      else await this.#refuse(message, stream)
    } catch (error) {
      if (signal.aborted) return
      logError(`Error sending message: ${readReason(error)}`, error)
      this.#fail(message, explainFailure(error))
      // The message may have arrived all the same: the chat knows.
      this.#cache.refresh()
    }
  }

  async #request(request: RunRequest, signal: AbortSignal): Promise<void> {
    try {
      const stream = await requestRun(this.#api, request, signal)
      if (stream === undefined) this.#drop()
      else await this.#watch(stream, signal)
    } catch (error) {
      if (signal.aborted) return
      logError(request.failure, error)
      this.#drop({ notice: error instanceof TypeError ? explainFailure(error) : readReason(error) })
      this.#cache.refresh()
    }
  }

  async #refuse(message: OutgoingMessage, { response, close }: ConnectedStream): Promise<void> {
    const detail = await readErrorBody(response)
    close()
    logError(`Error sending message: ${response.statusText || response.status}`)
    if (detail?.code !== 'run_active')
      return this.#fail(message, detail?.message ?? `The server answered ${response.status}.`)
    outbox.clear(this.#chatId)
    restoreDraft(this.#chatId, message.content)
    this.#drop({
      notice: 'Another reply is being written in this chat. Your message is kept in the box below.',
    })
    this.#cache.refresh()
  }

  /** Follows the run to its end. */
  async #watch(stream: ConnectedStream | undefined, signal: AbortSignal): Promise<void> {
    if (this.#run === undefined) return
    const watcher = {
      onRun: (run: RunState, event: RunEvent) => this.#advance(run, event),
      onConnection: (joined: boolean) => this.#changeConnection(joined),
      onReason: (reason: string) => (this.#reason = reason),
    }
    const end = await watchRun(this.#api, this.#chatId, { run: this.#run, stream }, watcher, signal)
    if (end === 'unconfirmed') throw new Error('The connection broke before the message was confirmed.')
    if (end === 'ended') return
    if (this.#run?.seq === 0) this.#drop()
    else this.#settle()
    this.#cache.refresh()
  }

  #changeConnection(joined: boolean): void {
    const { phase } = this.#shape
    if (!joined) this.#show({ ...this.#shape, phase: 'reconnecting' })
    else if (phase === 'reconnecting') this.#show({ ...this.#shape, phase: 'streaming' })
  }

  #advance(run: RunState, event: RunEvent): void {
    const before = this.#run
    this.#run = run
    for (const listener of this.#eventListeners) listener(event)
    if (before?.seq === 0) outbox.confirm(this.#chatId, before.messages[0]?.id)
    if (run.status !== 'running') this.#settle()
    else if (before?.seq === 0 || before?.messages.length !== run.messages.length)
      this.#show({
        ...this.#shape,
        phase: this.#stopWanted ? 'stopping' : 'streaming',
        messages: run.messages,
      })
    else this.#showSoon()
    if (!this.#stopWanted || run.status !== 'running') return
    this.#show({ ...this.#shape, phase: 'streaming' })
    void this.stop()
  }

  #takeUp(chat: Chat): void {
    this.#takeUpOutbox(chat)
    if (this.#run !== undefined && !this.hearing.isOutdated(chat)) return
    const run = resumeRun(chat)
    if (run !== undefined) {
      if (isEndedRun(this.#ended, chat)) return
      this.#follow(run, 'streaming')
      if (this.#isFed()) this.hearing.liveId = chat.run?.message_id
      else void this.#watch(undefined, this.#abort.signal)
    } else if (this.#run !== undefined) {
      this.#drop({ ended: chat.messages.find(({ id }) => id === chat.selected_message_id) })
    } else if (chat.messages.length === 0) {
      const message = takeHandover(this.#chatId)
      if (message !== undefined) this.send(message)
    }
  }

  /** Follows a run that began elsewhere. */
  #join(run: RunState, question: Message): void {
    if (this.#shape.unsent?.message.id === question.id) {
      outbox.clear(this.#chatId)
      this.#shape = { ...this.#shape, unsent: undefined }
    }
    this.#follow(run, 'streaming')
  }

  #takeUpOutbox(chat: Chat): void {
    const entry = outbox.read(this.#chatId)
    if (entry === undefined || this.#run?.seq === 0) return
    const { message, sentAt, failure } = entry
    if (chat.messages.some(({ id }) => id === message.id)) {
      outbox.clear(this.#chatId)
      if (this.#shape.unsent !== undefined) this.#show({ ...this.#shape, unsent: undefined })
      return
    }
    const age = Date.now() - sentAt
    if (failure !== undefined || age > answerTime)
      this.#show({ ...this.#shape, unsent: { message, reason: failure ?? 'The page was left too early.' } })
    // Another tab may be sending it just now.
    else setTimeout(() => this.#cache.refresh(), answerTime - age + 1)
  }

  #follow(run: RunState, phase: LivePhase): void {
    this.#abort = new AbortController()
    this.#stopWanted = false
    this.#reason = undefined
    this.hearing.liveId = undefined
    this.#run = run
    this.#show({ phase, messages: run.messages, unsent: this.#shape.unsent })
  }

  #fail(message: OutgoingMessage, reason: string): void {
    outbox.write(this.#chatId, { message, sentAt: Date.now(), failure: reason })
    this.#drop({ unsent: { message, reason } })
  }

  /** Moves what the run has written to the cache. */
  #settle(): void {
    const run = this.#run
    if (run === undefined) return
    this.#cache.change((chat) => ({
      ...overlayRun(chat, run.messages),
      update_time: new Date().toISOString(),
      run: null,
    }))
    const notice = this.#reason
    if (run.status === 'running') return this.#drop({ notice })
    this.#ended = run
    this.#drop({ ended: run.messages.at(-1), notice })
  }

  #drop(more: Partial<LiveShape> = {}): void {
    this.#abort.abort()
    this.hearing.liveId = undefined
    this.#run = undefined
    this.#show({ ...idleShape, unsent: this.#shape.unsent, ...more })
  }

  /** Nobody looks any more. The run goes on; whoever opens the chat again joins it. */
  #detach(): void {
    if (this.#run?.seq === 0) this.#linger = setTimeout(() => this.#detach(), lingerTime)
    else if (this.#run !== undefined) this.#drop()
  }

  #show(shape: LiveShape): void {
    this.#shape = shape
    this.#notify()
  }

  #showSoon(): void {
    this.#frame ??= requestAnimationFrame(() => this.#notify())
  }

  #notify(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame)
    this.#frame = undefined
    for (const listener of this.#listeners) listener()
  }
}

function explainFailure(error: unknown): string {
  if (!navigator.onLine) return 'You are offline.'
  // A fetch that reaches nobody is a TypeError whose text each browser words for itself.
  return error instanceof TypeError ? 'The server could not be reached.' : readReason(error)
}
