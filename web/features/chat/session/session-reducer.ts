import { applyEvent, emptyRun, type RunState } from '@yonder/contract/apply-event'
import type { Chat } from '@yonder/contract/chat'
import type { Compaction } from '@yonder/contract/compaction'
import type { RunEvent, StartedEvent } from '@yonder/contract/completion'
import type { LiveRun } from '@yonder/contract/live'
import type { Message } from '@yonder/contract/message'
import type { UnsentMessage } from './outbox.ts'
import { addCompaction, mergeMessages, resumeRun, selectLeaf } from './run-messages.ts'

/**
 * A run in progress. `sending`: requested by this page and not confirmed by the server yet, so `run` is what the page
 * expects. `running`: its events arrive in the live stream. `stopping`: the user has requested to stop it, maybe before
 * it was confirmed.
 */
export interface ActiveRun {
  readonly phase: 'sending' | 'running' | 'stopping'
  readonly run: RunState
  /** The id of its first reply, which identifies it; undefined until it is confirmed. */
  readonly replyId: string | undefined
  /** Identifies the run within the session. */
  readonly number: number
  /** Why the run will end, if the server cannot store an event about it. */
  readonly endReason?: string
}

export type Activity = { readonly phase: 'idle' } | ActiveRun

export interface SessionState {
  /** The chat as last loaded, with later changes except to the messages of the current run. Undefined until loaded. */
  readonly chat: Chat | undefined
  /** Why the chat could not be loaded. */
  readonly error?: Error | undefined
  readonly activity: Activity
  readonly unsent?: UnsentMessage | undefined
  /** A text for the user about something that failed. */
  readonly notice?: string | undefined
  /** The last message of the latest run, once that run has ended. It is announced. */
  readonly endedReply?: Message | undefined
  /** The number of runs so far. */
  readonly runCount: number
  /** Whether the chat must be loaded again, for example because an event was missed. */
  readonly isOutdated: boolean
  readonly isReading: boolean
  /** What arrived while the chat was loading, or before a run was confirmed; it is applied after that. */
  readonly deferred: readonly LiveUpdate[]
  /** The number of branch selections that are still being saved. */
  readonly pendingSelections: number
}

/** A part of the live stream that can be deferred. */
export type LiveUpdate =
  | { readonly type: 'event'; readonly replyId: string; readonly event: RunEvent }
  /** The stream begins. `run` is the run of this chat that is in progress at that moment. */
  | { readonly type: 'ready'; readonly run: LiveRun | undefined; readonly mayHaveMissed: boolean }

export type SessionAction =
  | LiveUpdate
  | { readonly type: 'changed' }
  /** Why the run will end, if the server cannot store an event about it. */
  | { readonly type: 'lost'; readonly replyId: string; readonly reason: string }
  | { readonly type: 'read_started' }
  | { readonly type: 'read'; readonly chat: Chat }
  | { readonly type: 'read_failed'; readonly error?: Error }
  | { readonly type: 'outdated' }
  | { readonly type: 'requested'; readonly run: RunState }
  /** The server has confirmed the requested run. */
  | { readonly type: 'accepted'; readonly event: StartedEvent }
  /** Something failed that has to do with no run. */
  | { readonly type: 'notified'; readonly notice: string }
  | { readonly type: 'stop_requested' }
  | { readonly type: 'stop_failed'; readonly notice: string }
  /** The request failed, or nothing confirmed it: as far as this page knows, the run never began. */
  | { readonly type: 'dropped'; readonly notice?: string; readonly unsent?: UnsentMessage }
  /** The chat has been closed for some time, so its data is discarded. */
  | { readonly type: 'forgotten' }
  | { readonly type: 'unsent'; readonly unsent: UnsentMessage | undefined }
  | { readonly type: 'branch_selected'; readonly messageId: string }
  | { readonly type: 'branch_saved' }
  /** A message of the chat is shown like this until the chat is loaded again. */
  | { readonly type: 'message_changed'; readonly message: Message }
  /** The server has stored a summary with another text, or removed it. */
  | { readonly type: 'compaction_changed'; readonly id: string; readonly compaction: Compaction | undefined }

export const initialState: SessionState = {
  chat: undefined,
  activity: { phase: 'idle' },
  runCount: 0,
  isOutdated: false,
  isReading: false,
  deferred: [],
  pendingSelections: 0,
}

export function activeRun({ activity }: SessionState): ActiveRun | undefined {
  return activity.phase === 'idle' ? undefined : activity
}

/** Whether this page has requested a run that the server has not confirmed yet. */
export function isUnconfirmed(state: SessionState): boolean {
  const active = activeRun(state)
  return active !== undefined && active.replyId === undefined
}

/** Applies an action to the state of a chat. Pure. */
export function reduceSession(state: SessionState, action: SessionAction): SessionState {
  const active = activeRun(state)
  switch (action.type) {
    case 'event':
      return receiveEvent(state, active, action)
    case 'ready':
      return receiveReady(state, active, action)
    case 'changed':
      // While a branch selected here is being saved, the change is most likely that selection.
      return state.pendingSelections > 0 ? state : { ...state, isOutdated: true }
    case 'lost':
      return active?.replyId === action.replyId
        ? { ...state, activity: { ...active, endReason: action.reason } }
        : state
    case 'read_started':
      return { ...state, isReading: true, isOutdated: false }
    case 'read':
      return receiveChat(state, active, action.chat)
    case 'read_failed':
      return { ...state, isReading: false, deferred: [], error: action.error ?? state.error }
    case 'outdated':
      return { ...state, isOutdated: true }
    case 'requested':
      return active === undefined
        ? begin(state, { phase: 'sending', run: action.run, replyId: undefined })
        : state
    case 'accepted':
      return active !== undefined && active.replyId === undefined
        ? { ...confirm(state, active, applyEvent(emptyRun, action.event), action.event), deferred: [] }
        : state
    case 'notified':
      return { ...state, notice: action.notice }
    case 'stop_requested':
      return active === undefined
        ? state
        : { ...state, activity: { ...active, phase: 'stopping' }, notice: undefined }
    case 'stop_failed':
      return active === undefined
        ? state
        : { ...state, activity: { ...active, phase: 'running' }, notice: action.notice }
    case 'dropped':
      return { ...becomeIdle(state), notice: action.notice, unsent: action.unsent ?? state.unsent }
    case 'forgotten':
      return forget(state)
    case 'unsent':
      return { ...state, unsent: action.unsent }
    case 'branch_selected': {
      const pendingSelections = state.pendingSelections + 1
      return { ...state, pendingSelections, chat: state.chat && selectLeaf(state.chat, action.messageId) }
    }
    case 'branch_saved': {
      const pendingSelections = state.pendingSelections - 1
      return { ...state, pendingSelections, isOutdated: state.isOutdated || pendingSelections === 0 }
    }
    case 'message_changed':
      return changeMessage(state, action.message)
    case 'compaction_changed':
      return changeCompaction(state, action.id, action.compaction)
  }
}

/** Resets what belongs to the chat. The chat is loaded again when it is opened. */
function forget({ runCount, pendingSelections }: SessionState): SessionState {
  return { ...initialState, runCount, pendingSelections, isOutdated: true }
}

function changeMessage(state: SessionState, changed: Message): SessionState {
  const { chat } = state
  if (chat === undefined) return state
  const messages = chat.messages.map((message) => (message.id === changed.id ? changed : message))
  return { ...state, chat: { ...chat, messages } }
}

/** Replaces a summary of the chat, or removes it. */
function changeCompaction(state: SessionState, id: string, next: Compaction | undefined): SessionState {
  const { chat } = state
  if (chat?.compactions === undefined) return state
  const compactions = chat.compactions
    .map((compaction) => (compaction.id === id ? next : compaction))
    .filter((compaction) => compaction !== undefined)
  // A read that is in progress may return the chat without the change.
  return { ...state, chat: { ...chat, compactions }, isOutdated: state.isOutdated || state.isReading }
}

function receiveEvent(
  state: SessionState,
  active: ActiveRun | undefined,
  update: LiveUpdate & { type: 'event' },
): SessionState {
  const { replyId, event } = update
  if (active !== undefined && active.replyId === undefined) {
    if (event.type === 'started' && event.user_message.id === active.run.messages[0]?.id)
      return confirm(state, active, applyEvent(emptyRun, event), event)
    return { ...state, deferred: [...state.deferred, update] }
  }
  if (active?.replyId === replyId) {
    if (event.seq <= active.run.seq) return state
    return event.seq === active.run.seq + 1 ? advance(state, active, event) : deferOrReload(state, update)
  }
  if (isOver(state.chat, replyId, event)) return state
  return event.type === 'started' ? follow(state, active, event) : deferOrReload(state, update)
}

function receiveReady(
  state: SessionState,
  active: ActiveRun | undefined,
  update: LiveUpdate & { type: 'ready' },
): SessionState {
  if (state.isReading) return deferOrReload(state, update)
  const { run, mayHaveMissed } = update
  const isKnown =
    run === undefined
      ? active?.replyId === undefined && !mayHaveMissed
      : run.messageId === active?.replyId && run.seq <= active.run.seq
  return isKnown ? state : { ...state, isOutdated: true }
}

/**
 * Defers an update during a read, whose chat may contain the events before it. Without a read, the chat must be
 * loaded again.
 */
function deferOrReload(state: SessionState, update: LiveUpdate): SessionState {
  return state.isReading
    ? { ...state, deferred: [...state.deferred, update] }
    : { ...state, isOutdated: true }
}

/** Starts to follow a run that another page requested, from its first event. */
function follow(state: SessionState, active: ActiveRun | undefined, event: StartedEvent): SessionState {
  const { user_message: userMessage, assistant_message: reply } = event
  const parent = userMessage.parent_id
  const hasParent = parent === null || state.chat?.messages.some(({ id }) => id === parent) === true
  // Another page has decided about a call, and only the chat says how.
  const isDenial = state.chat?.messages.some(({ id, call }) => id === parent && call?.state === 'waiting')
  // If another run is still active, its end was missed.
  const isOutdated = state.isOutdated || active !== undefined || !hasParent || isDenial === true
  const unsent = state.unsent?.message.id === userMessage.id ? undefined : state.unsent
  const run = applyEvent(emptyRun, event)
  return begin({ ...state, isOutdated, unsent }, { phase: 'running', run, replyId: reply.id })
}

/** Replaces what the page expected of a run that it has requested by what the server has stored. */
function confirm(
  state: SessionState,
  active: ActiveRun,
  run: RunState,
  { assistant_message: reply }: Pick<StartedEvent, 'assistant_message'>,
): SessionState {
  const phase = active.phase === 'sending' ? 'running' : active.phase
  return { ...state, activity: { ...active, phase, run, replyId: reply.id } }
}

/** Whether the run of an event has ended as far as the chat shows. */
function isOver(chat: Chat | undefined, replyId: string, event: RunEvent): boolean {
  const reply = chat?.messages.find(({ id, status }) => id === replyId && status !== 'streaming')
  if (reply === undefined || event.type !== 'started' || event.assistant_message.call === undefined)
    return reply !== undefined
  // The reply was complete before its call was approved, which started this run.
  return reply.call?.state === 'answered' || reply.call?.state === 'denied'
}

function receiveChat(state: SessionState, active: ActiveRun | undefined, chat: Chat): SessionState {
  const isSent = chat.messages.some(({ id }) => id === state.unsent?.message.id)
  const read: SessionState = {
    ...state,
    chat: keepEqualMessages(state, chat),
    error: undefined,
    isReading: false,
    deferred: [],
    unsent: isSent ? undefined : state.unsent,
  }
  const run = resumeRun(chat)
  return run === undefined || chat.run === null
    ? endRun(read, active, chat)
    : joinRun(read, active, run, chat.run.message_id)
}

/**
 * Keeps the objects of unchanged messages, so that they are not rendered again. Also keeps a selection that is being
 * saved.
 */
function keepEqualMessages({ chat: known, pendingSelections }: SessionState, chat: Chat): Chat {
  if (known === undefined) return chat
  const before = new Map(known.messages.map((message) => [message.id, message]))
  const messages = chat.messages.map((message) => {
    const old = before.get(message.id)
    return old !== undefined && JSON.stringify(old) === JSON.stringify(message) ? old : message
  })
  return pendingSelections > 0
    ? { ...chat, messages, selected_message_id: known.selected_message_id }
    : { ...chat, messages }
}

/** Follows the run of a chat that was just loaded, from the event up to which the chat contains it. */
function joinRun(
  state: SessionState,
  active: ActiveRun | undefined,
  run: RunState,
  replyId: string,
): SessionState {
  if (active === undefined) return begin(state, { phase: 'running', run, replyId })
  const expected = active.run.messages[0]?.id
  const isSame =
    active.replyId === undefined
      ? run.messages.some(({ id }) => id === expected)
      : active.replyId === replyId && run.seq > active.run.seq
  if (isSame) {
    const phase = active.phase === 'sending' ? 'running' : active.phase
    return { ...state, activity: { ...active, phase, run, replyId } }
  }
  // A chat without the reply was loaded before the current run began.
  const isNext = active.replyId !== undefined && active.replyId !== replyId && hasReply(state.chat, active)
  return isNext ? begin(state, { phase: 'running', run, replyId }) : state
}

/** Ends the current run if the chat that was just loaded, which is without a run, contains its end. */
function endRun(state: SessionState, active: ActiveRun | undefined, chat: Chat): SessionState {
  if (active === undefined || !hasReply(chat, active)) return state
  const endedReply = chat.messages.find(({ id }) => id === chat.selected_message_id)
  return { ...becomeIdle(state), endedReply, notice: active.endReason }
}

/**
 * Whether a chat was loaded after the beginning of a run. A chat without the reply was loaded before, and so was a chat
 * in which the reply's call needs approval, if the call has been approved since.
 */
function hasReply(chat: Chat | undefined, { replyId, run }: ActiveRun): boolean {
  const reply = chat?.messages.find(({ id }) => id === replyId)
  const first = run.messages.find(({ id }) => id === replyId)
  return (
    reply !== undefined &&
    (reply.call?.state !== 'waiting' || (first?.call?.state ?? 'waiting') === 'waiting')
  )
}

function begin(state: SessionState, active: Omit<ActiveRun, 'number'>): SessionState {
  const number = state.runCount + 1
  return { ...becomeIdle(state), activity: { ...active, number }, runCount: number }
}

function advance(state: SessionState, active: ActiveRun, event: RunEvent): SessionState {
  const run = applyEvent(active.run, event)
  if (run.status !== 'running') return settle(state, { ...active, run })
  const chat =
    event.type === 'compaction' ? state.chat && addCompaction(state.chat, event.compaction) : state.chat
  return { ...state, chat, activity: { ...active, run } }
}

/** Ends the current run and moves its messages into the chat. */
function settle(state: SessionState, active: ActiveRun): SessionState {
  const { messages } = active.run
  return {
    ...becomeIdle(state),
    chat: state.chat && mergeMessages(state.chat, messages),
    endedReply: messages.at(-1),
    notice: active.endReason,
    // A read that began before the run ended may return the chat without its end.
    isOutdated: state.isOutdated || state.isReading,
  }
}

function becomeIdle(state: SessionState): SessionState {
  return { ...state, activity: { phase: 'idle' }, notice: undefined, endedReply: undefined }
}

/** What components render. A change within the messages of the current run does not replace it. */
export interface SessionView extends Pick<SessionState, 'error' | 'unsent' | 'notice' | 'endedReply'> {
  /** The chat with the messages of the current run, as they were when this view was created. */
  readonly chat: Chat | undefined
  readonly phase: Activity['phase']
  /**
   * The ids of the messages that the current run is writing, and of the message that they reply to: the one that began
   * it, or the last one that went into it. What was written before that one is complete.
   */
  readonly runMessageIds: ReadonlySet<string>
}

/** Returns `before.view` if a new view would differ at most within the messages of the current run. */
export function createView(
  state: SessionState,
  before?: { readonly state: SessionState; readonly view: SessionView },
): SessionView {
  if (before !== undefined && isSameView(before.state, state)) return before.view
  const active = activeRun(state)
  const messages = active?.run.messages ?? []
  const { chat, activity, error, unsent, notice, endedReply } = state
  return {
    chat: chat && mergeMessages(chat, messages),
    phase: activity.phase,
    runMessageIds: new Set(messages.slice(lastQuestion(messages)).map(({ id }) => id)),
    error,
    unsent,
    notice,
    endedReply,
  }
}

/** The index of the last message that the user has written; 0 when a tool's result began the run. */
function lastQuestion(messages: readonly Message[]): number {
  const index = messages.findLastIndex(({ role, server }) => role === 'user' && server === undefined)
  return Math.max(0, index)
}

function isSameView(before: SessionState, after: SessionState): boolean {
  const [oldRun, newRun] = [activeRun(before), activeRun(after)]
  return (
    before.chat === after.chat &&
    before.error === after.error &&
    before.unsent === after.unsent &&
    before.notice === after.notice &&
    before.endedReply === after.endedReply &&
    oldRun?.phase === newRun?.phase &&
    oldRun?.number === newRun?.number &&
    oldRun?.replyId === newRun?.replyId &&
    oldRun?.run.messages.length === newRun?.run.messages.length
  )
}
