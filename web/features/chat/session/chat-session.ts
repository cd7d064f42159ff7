import type { RunState } from '@yonder/contract/apply-event'
import type { Chat } from '@yonder/contract/chat'
import type { Compaction } from '@yonder/contract/compaction'
import type { RunEvent } from '@yonder/contract/completion'
import type { LiveEvent } from '@yonder/contract/live'
import type { Message } from '@yonder/contract/message'
import { continueText, denialText, isSameContent } from '@yonder/contract/message-text'
import type { ApiClient } from '../../../lib/api/api-client.ts'
import { isNotFound, readReason, toFailure } from '../../../lib/api/api-error.ts'
import { onConnectionBack } from '../../../lib/api/connection.ts'
import { logError } from '../../../lib/log-error.ts'
import { createStore, type ReadableStore } from '../../../lib/store.ts'
import { toast } from '../../../lib/toasts.ts'
import { describeEarlierDecision } from '../../tools/call/call-state.ts'
import type { EditedArguments } from '../../tools/call/decide-call.ts'
import { restoreDraft, storageKeys } from '../chat-storage.ts'
import { queueOutbox } from '../queue/queue-outbox.ts'
import { ChatReader } from './chat-reader.ts'
import { AutomaticSends, firstMessage, outbox, type OutgoingMessage } from './outbox.ts'
import {
  explainRunFailure,
  explainSendFailure,
  isDecided,
  requestRun,
  RunRefusedError,
  type RunRequest,
} from './request-run.ts'
import {
  createMessageId,
  deniedBy,
  findUserMessage,
  optimisticCall,
  optimisticReply,
  optimisticSend,
  optimisticWait,
  withoutDenial,
} from './run-messages.ts'
import {
  activeRun,
  createView,
  initialState,
  isUnconfirmed,
  reduceSession,
  type SessionAction,
  type SessionState,
  type SessionView,
} from './session-reducer.ts'

/** How long the page usually keeps the data of a chat that was closed, and follows its run. */
const closeDelayMs = 3000
/** The pause between two reads of a running chat whose events do not arrive. */
const pollIntervalMs = 2000

/** A message to be sent. Without an id it gets a new one. */
export type MessageDraft = Omit<OutgoingMessage, 'id'> & { readonly id?: string }

/**
 * Owns a chat on this page: loads it, sends messages, and follows and stops the run. The events of every run arrive in
 * the live stream, whichever page has requested it. Every change of the state is an action of `reduceSession`.
 */
export class ChatSession {
  readonly #chatId: string
  readonly #api: ApiClient
  readonly #reader: ChatReader
  readonly #eventListeners = new Set<(event: RunEvent) => void>()
  #state: SessionState = initialState
  readonly #view = createStore<SessionView>(createView(initialState))
  readonly #renderedRun = createStore<RunState | undefined>(undefined)
  #frame: number | undefined
  #viewers = 0
  #closeTimer: ReturnType<typeof setTimeout> | undefined
  #pollTimer: ReturnType<typeof setTimeout> | undefined
  #savingSelection: Promise<string | undefined> = Promise.resolve(undefined)
  readonly #automaticSends: AutomaticSends
  #stopWatchingConnection = () => {}

  constructor(chatId: string, api: ApiClient) {
    this.#chatId = chatId
    this.#api = api
    this.#automaticSends = new AutomaticSends(api.connection)
    this.#reader = new ChatReader(api, chatId, {
      onStart: () => this.#apply({ type: 'read_started' }),
      onRead: (chat) => this.#receiveChat(chat),
      onFailure: (error) => this.#apply({ type: 'read_failed', ...(error && { error }) }),
    })
    // The session exists as long as the client, and so do these subscriptions.
    api.live.subscribe((event) => this.#receive(event))
    api.live.state.subscribe(() => this.#pollIfDisconnected())
  }

  /** What is rendered of the chat, except for changes within the messages of the current run. */
  get view(): ReadableStore<SessionView> {
    return this.#view
  }

  /** The current run with its text so far. New text alone updates it at most once per frame. */
  get renderedRun(): ReadableStore<RunState | undefined> {
    return this.#renderedRun
  }

  /** Loads the chat and keeps it up to date until the returned function is called. */
  readonly open = (): (() => void) => {
    clearTimeout(this.#closeTimer)
    this.#viewers += 1
    if (this.#viewers === 1) {
      this.#stopWatchingConnection = onConnectionBack(this.#api.connection, () => this.#sendAfterOutage())
      this.#reader.open()
      this.#readIfOutdated()
      // An outage may have passed while the chat was closed.
      this.#sendAfterOutage()
    }
    return () => {
      this.#viewers -= 1
      if (this.#viewers > 0) return
      this.#stopWatchingConnection()
      this.#reader.close()
      const hasFailed = this.#state.error !== undefined
      this.#closeTimer = setTimeout(() => this.#forget(), hasFailed ? 0 : closeDelayMs)
    }
  }

  /** Calls `listener` once with each run event that this session applies. */
  readonly onEvent = (listener: (event: RunEvent) => void): (() => void) => {
    this.#eventListeners.add(listener)
    return () => void this.#eventListeners.delete(listener)
  }

  readonly reload = (): void => this.#apply({ type: 'outdated' })

  /** Loads the chat again and resolves when that has succeeded or failed. */
  read(): Promise<void> {
    return this.#reader.read()
  }

  /** Shows the message and an empty reply, and requests the reply. During a run it only returns false. */
  send({ id = createMessageId(), ...draft }: MessageDraft): boolean {
    const message = { id, ...draft }
    const { unsent } = this.#state
    const isRequested = this.#request(optimisticSend(message, Date.now()), {
      path: '/api/chat/completions',
      body: { ...message, isDenial: undefined, chatId: this.#chatId },
      onFailure: (error) => this.#handleSendFailure(message, error),
    })
    if (!isRequested) return false
    if (message.isDenial === true) this.#changeReply(message.parentId, (reply) => deniedBy(message, reply))
    if (unsent !== undefined) {
      this.#apply({ type: 'unsent', unsent: undefined })
      if (unsent.message.id !== id) this.#returnToInput(unsent.message)
    }
    outbox.write(this.#chatId, { message, sentAt: Date.now() })
    return true
  }

  /** Sends the unsent message again, with the same id. A denial of one of several calls keeps its bot. */
  sendAgain(botName: string | undefined): void {
    const message = this.#state.unsent?.message
    if (message === undefined) return
    this.send(message.denyOne === true ? message : { ...message, botName: botName ?? message.botName })
  }

  /** Moves the unsent message back into the input, or discards an unsent denial. */
  editUnsent(): void {
    const { unsent } = this.#state
    if (unsent === undefined) return
    this.#returnToInput(unsent.message)
    this.#apply({ type: 'unsent', unsent: undefined })
  }

  /** Shows a text about something that failed, until the next run begins. */
  notify(notice: string): void {
    this.#apply({ type: 'notified', notice })
  }

  /** Requests another reply to the message before `reply`. */
  regenerate(reply: Message, botName: string): boolean {
    const userMessage = findUserMessage(this.#messages, reply)
    if (userMessage === undefined) return false
    return this.#request(optimisticReply(userMessage, botName, Date.now()), {
      path: '/api/chat/completions',
      body: { chatId: this.#chatId, userMessageId: userMessage.id, botName },
      onFailure: this.#failureHandler('The reply could not be regenerated'),
    })
  }

  /**
   * Approves the pending tool call of a reply, which then runs; with `edited`, with these arguments. Such a call is shown
   * as waiting until the server has accepted them.
   */
  allow(reply: Message, botName: string, edited?: EditedArguments): boolean {
    const { id: messageId, server, tool, arguments: args } = reply
    const expect = edited === undefined ? optimisticCall : optimisticWait
    return this.#request(expect(this.#messages, reply), {
      path: '/api/tool/confirm',
      body: { botName, server, tool, args, edited: edited?.text, chatId: this.#chatId, messageId },
      onFailure: (error) => {
        const isRefused = edited !== undefined && error instanceof RunRefusedError && error.status === 400
        if (isRefused) edited.onRefused(readReason(error))
        this.#handleDecisionFailure('The call could not be approved', reply.id, error, isRefused)
      },
    })
  }

  /**
   * Denies the pending tool call of a reply, but not the calls after it, by sending 'cancel', or what the user wants the
   * model to know.
   */
  deny(reply: Message, botName: string, reason?: string): boolean {
    const content = reason ?? denialText
    // A message without `denyOne` would go into the chat even when the call has been decided elsewhere meanwhile.
    return this.send({ parentId: reply.id, content, botName, isDenial: true, denyOne: true })
  }

  /** Shows a message as the server has stored it after a decision about a later call of its step. */
  readonly replaceMessage = (message: Message): void => this.#apply({ type: 'message_changed', message })

  #changeReply(id: string | null, change: (reply: Message) => Message): void {
    const reply = this.#messages.find((message) => message.id === id)
    if (reply !== undefined) this.replaceMessage(change(reply))
  }

  /** Requests what is missing after the last message: the reply to a tool's result, or the rest of a reply. */
  continueAfter(last: Message, botName: string): boolean {
    const { id: parentId, role, server, content } = last
    const message = { id: createMessageId(), parentId, content: continueText, botName }
    const [expected, body] =
      role === 'assistant'
        ? [optimisticSend(message, Date.now()), message]
        : [optimisticReply(last, botName, Date.now()), { parentId, content, botName, server }]
    return this.#request(expected, {
      path: '/api/chat/completions',
      body: { ...body, chatId: this.#chatId },
      onFailure: this.#failureHandler('The reply could not be continued'),
    })
  }

  /** Shows the branch of a message at once, saves the selection and loads the chat again. */
  readonly selectBranch = (messageId: string): void => {
    void this.#selectOrNotify(messageId)
  }

  async #selectOrNotify(messageId: string): Promise<void> {
    const reason = await this.showBranch(messageId)
    if (reason !== undefined) toast.error(`The chosen version could not be saved: ${reason}`)
  }

  /** The same. Resolves with the reason if the selection could not be saved, so that the former branch is shown again. */
  showBranch(messageId: string): Promise<string | undefined> {
    this.#apply({ type: 'branch_selected', messageId })
    return (this.#savingSelection = this.#savingSelection.then(() => this.#saveSelection(messageId)))
  }

  /** Of the branches that are selected while one is being saved, only the last is saved. */
  async #saveSelection(messageId: string): Promise<string | undefined> {
    let reason: string | undefined
    try {
      if (this.#state.pendingSelections === 1)
        await this.#api.post('/api/chat/select-response', { chatId: this.#chatId, messageId })
    } catch (error) {
      logError('Error selecting response', error)
      reason = readReason(error)
    }
    this.#apply({ type: 'branch_saved' })
    return reason
  }

  /** Shows a summary as the server has stored it, or removes one that the server has removed. */
  readonly changeCompaction = (id: string, compaction: Compaction | undefined): void =>
    this.#apply({ type: 'compaction_changed', id, compaction })

  /** Stops the run on the server and loads the chat again. */
  async stop(): Promise<void> {
    const { phase } = this.#state.activity
    if (phase === 'idle' || phase === 'stopping') return
    this.#apply({ type: 'stop_requested' })
    // Before the run is confirmed, there may be nothing to stop. `#confirm` requests the stop later.
    if (phase !== 'sending') await this.#requestStop()
  }

  /** Applies what an event of the live stream says about this chat. */
  #receive(event: LiveEvent): void {
    const action = this.#readEvent(event)
    if (action === undefined) return
    // A closed chat without a run is only marked as outdated, and loaded when it is opened.
    const isUsed = this.#viewers > 0 || activeRun(this.#state) !== undefined
    this.#apply(isUsed ? action : { type: 'outdated' })
  }

  #readEvent(event: LiveEvent): SessionAction | undefined {
    if ('chatId' in event && event.chatId !== this.#chatId) return undefined
    switch (event.type) {
      case 'ready': {
        const run = event.runs.find(({ chatId }) => chatId === this.#chatId)
        // A stream that opens without delay has no state before its first line, and nothing was missed.
        return { type: 'ready', run, mayHaveMissed: this.#api.live.state.get() !== 'opening' }
      }
      case 'run':
        return { type: 'event', replyId: event.messageId, event: event.event }
      case 'run_lost':
        return { type: 'lost', replyId: event.messageId, reason: event.error.message }
      case 'chat_changed':
        return { type: 'changed' }
      case 'changed':
        // Of many chats that have changed at once, this one may be deleted.
        return event.what === 'names' || event.what === 'chats' ? { type: 'changed' } : undefined
      case 'chats_listed': {
        const isRestored = isNotFound(this.#state.error) && event.chats.some(({ id }) => id === this.#chatId)
        return isRestored || event.gone.includes(this.#chatId) ? { type: 'changed' } : undefined
      }
      case 'heartbeat':
        return undefined
    }
  }

  get #messages(): readonly Message[] {
    return this.#state.chat?.messages ?? []
  }

  #receiveChat(chat: Chat): void {
    this.#checkOutbox(chat)
    this.#applyWithDeferred({ type: 'read', chat })
    // During a run nothing can be sent, so the first message stays in the storage until the next read.
    if (this.#state.activity.phase !== 'idle' && chat.messages.length === 0) return
    const first = firstMessage.take(this.#chatId)
    if (first === undefined) return
    if (chat.messages.length === 0) this.send(first)
    // Another tab may have sent the same message already.
    else if (!chat.messages.some(({ content }) => isSameContent(content, first.content)))
      this.#returnToInput(first)
  }

  #returnToInput({ content, isDenial }: OutgoingMessage): void {
    if (isDenial !== true) restoreDraft(storageKeys.draft(this.#chatId), content)
  }

  /** Shows the message in the outbox if the server has not stored it. */
  #checkOutbox(chat: Chat): void {
    if (isUnconfirmed(this.#state)) return
    const { unsent, checkAgainMs } = outbox.check(chat)
    if (unsent !== undefined) this.#apply({ type: 'unsent', unsent })
    if (checkAgainMs !== undefined) setTimeout(this.reload, checkAgainMs)
  }

  /** Shows `expected` until the events of the run replace it. During a run it requests nothing and returns false. */
  #request(expected: RunState, request: RunRequest): boolean {
    if (activeRun(this.#state) !== undefined) return false
    this.#apply({ type: 'requested', run: expected })
    void this.#requestRun(request, this.#state.runCount)
    return true
  }

  async #requestRun({ path, body, onFailure }: RunRequest, number: number): Promise<void> {
    // The run is confirmed by this response, the live stream or a read, whichever comes first.
    const isWaiting = () => isUnconfirmed(this.#state) && this.#state.runCount === number
    try {
      const accepted = await requestRun(this.#api, path, body)
      if (!isWaiting()) return
      if (accepted === undefined) this.#apply({ type: 'dropped' })
      else if (accepted.started !== null)
        this.#applyWithDeferred({ type: 'accepted', event: accepted.started })
      else {
        // The request repeats one that the server has, so the chat contains the message, and the reply or its beginning.
        outbox.confirm(this.#chatId, activeRun(this.#state)?.run.messages[0]?.id)
        await this.#reader.read()
        if (isWaiting()) this.#apply({ type: 'dropped' })
      }
    } catch (error) {
      if (isWaiting()) onFailure(error)
    }
  }

  async #requestStop(): Promise<void> {
    const { runCount } = this.#state
    try {
      await this.#api.post('/api/chat/stop', { chatId: this.#chatId })
    } catch (error) {
      logError('Error stopping reply', error)
      const notice = `The reply could not be stopped: ${readReason(error)}`
      if (this.#state.runCount === runCount) this.#apply({ type: 'stop_failed', notice })
      return
    }
    this.reload()
  }

  #handleSendFailure(message: OutgoingMessage, error: unknown): void {
    const isRefused = error instanceof RunRefusedError
    if (message.isDenial === true) {
      this.#changeReply(message.parentId, withoutDenial)
      if (isDecided(error)) {
        outbox.clear(this.#chatId)
        return this.#handleDecisionFailure('The call could not be denied', message.parentId, error)
      }
    }
    const reason = error instanceof Error ? error.message : readReason(error)
    logError(`Error sending message: ${reason}`, isRefused ? undefined : error)
    const isLast = message.parentId === (this.#state.chat?.selected_message_id ?? null)
    const { kind, notice } = explainSendFailure(message, error, isLast)
    if (kind === 'queued') {
      const { id, content, botName } = message
      queueOutbox.add(this.#chatId, { id, content, botName, queuedAt: 0 })
      outbox.clear(this.#chatId)
      this.#apply({ type: 'dropped' })
    } else if (kind === 'unsent') {
      const failure = toFailure(error)
      outbox.fail(this.#chatId, message, failure)
      this.#apply({ type: 'dropped', unsent: { message, failure } })
    } else {
      outbox.clear(this.#chatId)
      if (kind === 'returned') this.#returnToInput(message)
      this.#apply({ type: 'dropped', notice })
    }
    // The server may have stored the message, or the chat may have changed elsewhere.
    this.reload()
  }

  /** Says why a decision about a call was not carried out; if somebody was faster, what was decided, when and where. */
  #handleDecisionFailure(failure: string, replyId: string | null, error: unknown, isShown = false): void {
    logError(failure, error)
    const isLate = isDecided(error)
    const notice = isLate || isShown ? undefined : explainRunFailure(failure, error)
    this.#apply({ type: 'dropped', ...(notice !== undefined && { notice }) })
    if (isLate) void this.#showEarlierDecision(replyId, explainRunFailure(failure, error))
    else this.reload()
  }

  async #showEarlierDecision(replyId: string | null, otherwise: string): Promise<void> {
    await this.#reader.read()
    const decision = this.#messages.find(({ id }) => id === replyId)?.call?.decision
    toast.error(decision === undefined ? otherwise : describeEarlierDecision(decision))
  }

  readonly #failureHandler = (failure: string) => (error: unknown) => {
    logError(failure, error)
    this.#apply({ type: 'dropped', notice: explainRunFailure(failure, error) })
    this.reload()
  }

  /**
   * Discards the data of a chat that has been closed for some time: a message that is sent after reopening the chat
   * must not be appended to an outdated branch. A run continues on the server.
   */
  #forget(): void {
    if (isUnconfirmed(this.#state) || this.#state.isReading)
      this.#closeTimer = setTimeout(() => this.#forget(), closeDelayMs)
    else this.#apply({ type: 'forgotten' })
  }

  #sendAfterOutage(): void {
    const { unsent, chat, activity } = this.#state
    if (unsent === undefined || chat === undefined || activity.phase !== 'idle' || this.#viewers === 0) return
    const { message, failure } = unsent
    // When the user signs out, the outbox is emptied, and the message must not be sent any more.
    const isKept = outbox.read(this.#chatId)?.message.id === message.id
    if (isKept && this.#automaticSends.claim(message.id, failure)) this.send(message)
  }

  /** Applies an action that ends what updates were deferred for, and then these updates. */
  #applyWithDeferred(action: SessionAction & { type: 'read' | 'accepted' }): void {
    const { deferred } = this.#state
    this.#apply(action)
    for (const update of deferred) this.#apply(update)
  }

  /** The only method that changes the state. The requests and the rendering that follow from a change start here. */
  #apply(action: SessionAction): void {
    const before = this.#state
    const after = reduceSession(before, action)
    if (after === before) return
    this.#state = after
    const isEvent = action.type === 'event' || action.type === 'accepted'
    if (isEvent && before.activity !== after.activity)
      for (const listener of this.#eventListeners) listener(action.event)
    const [oldRun, newRun] = [activeRun(before), activeRun(after)]
    if (oldRun !== undefined && oldRun.replyId === undefined && newRun?.replyId !== undefined)
      this.#confirm(oldRun.run)
    if (before.unsent !== undefined && after.unsent === undefined && action.type !== 'forgotten')
      outbox.confirm(this.#chatId, before.unsent.message.id)
    this.#updateView(before)
    this.#readIfOutdated()
    this.#pollIfDisconnected()
    this.#sendAfterOutage()
  }

  /** After a requested run was confirmed: removes its message from the outbox, and requests a stop that has waited. */
  #confirm(expected: RunState): void {
    outbox.confirm(this.#chatId, expected.messages[0]?.id)
    if (this.#state.activity.phase === 'stopping') void this.#requestStop()
  }

  #readIfOutdated(): void {
    if (this.#state.isOutdated && this.#viewers > 0) void this.#reader.read()
  }

  /** Reads a chat with a run again and again while its events do not arrive. After a failure, the reader retries. */
  #pollIfDisconnected(): void {
    const { isReading, error } = this.#state
    const stream = this.#api.live.state.get()
    const isDisconnected = stream === 'lost' || stream === 'held'
    const isNeeded =
      isDisconnected &&
      !isReading &&
      error === undefined &&
      this.#viewers > 0 &&
      activeRun(this.#state) !== undefined
    if (isNeeded) this.#pollTimer ??= setTimeout(() => this.reload(), pollIntervalMs)
    else {
      clearTimeout(this.#pollTimer)
      this.#pollTimer = undefined
    }
  }

  #updateView(before: SessionState): void {
    const view = createView(this.#state, { state: before, view: this.#view.get() })
    if (view === this.#view.get()) {
      this.#frame ??= requestAnimationFrame(() => this.#updateRun())
      return
    }
    this.#view.set(view)
    this.#updateRun()
  }

  #updateRun(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame)
    this.#frame = undefined
    this.#renderedRun.set(activeRun(this.#state)?.run)
  }
}
