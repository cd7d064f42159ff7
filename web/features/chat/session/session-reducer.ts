import { applyEvent, emptyRun, type RunState } from '@yonder/contract/apply-event'
import type { Chat } from '@yonder/contract/chat'
import type { Compaction } from '@yonder/contract/compaction'
import type { RunEvent } from '@yonder/contract/completion'
import { canReceive, type SharedStreamState } from '../../../lib/streams/share-stream.ts'
import { addCompaction, mergeMessages, resumeRun, selectLeaf } from './run-messages.ts'
import {
  activeRun,
  firstReply,
  initialState,
  type ActiveRun,
  type LiveUpdate,
  type SessionAction,
  type SessionState,
} from './session-state.ts'

/** Applies an action to the state of a chat. Pure. */
export function reduceSession(state: SessionState, action: SessionAction): SessionState {
  const active = activeRun(state)
  switch (action.type) {
    case 'live_event':
      return receiveLiveEvent(state, action)
    case 'live_ready':
      return receiveLiveReady(state, action)
    case 'live_changed':
      // While a branch selected here is being saved, the change is most likely that selection.
      return state.pendingSelections > 0 ? state : { ...state, isOutdated: true }
    case 'live_state':
      return active?.phase === 'following' ? changeLiveState(state, active, action.state) : state
    case 'read_started':
      return { ...state, isReading: true, isOutdated: false }
    case 'read':
      return receiveChat(state, action.chat, action.isLive)
    case 'read_failed':
      return { ...state, isReading: false, deferred: [], error: action.error ?? state.error }
    case 'outdated':
      return { ...state, isOutdated: true }
    case 'requested':
      return active === undefined ? begin(state, { phase: 'sending', run: action.run }) : state
    case 'event':
      return active === undefined ? state : advance(state, active, action.event)
    case 'connection':
      return active === undefined ? state : changeConnection(state, active, action.isConnected)
    case 'ending':
      return active?.phase === 'streaming'
        ? replaceActive(state, { ...active, endReason: action.reason })
        : state
    case 'stop_requested':
      return active === undefined
        ? state
        : { ...state, activity: { phase: 'stopping', active }, notice: undefined }
    case 'stop_failed':
      return active === undefined ? state : { ...state, activity: active, notice: action.notice }
    case 'left':
      return active === undefined ? state : leave(state, active)
    case 'dropped':
      return { ...becomeIdle(state), notice: action.notice, unsent: action.unsent ?? state.unsent }
    case 'forgotten':
      return forget(state)
    case 'outage_ended':
      return state.notice?.isOutage === true ? { ...state, notice: undefined } : state
    case 'unsent':
      return { ...state, unsent: action.unsent }
    case 'branch_selected': {
      const pendingSelections = state.pendingSelections + 1
      return { ...state, pendingSelections, chat: state.chat && selectLeaf(state.chat, action.messageId) }
    }
    case 'branch_saved':
      return {
        ...state,
        pendingSelections: state.pendingSelections - 1,
        isOutdated: state.isOutdated || action.isLast,
      }
    case 'compaction_changed':
      return changeCompaction(state, action.id, action.compaction)
  }
}

/** Resets the state except for its two counters. The chat is loaded again when it is opened. */
function forget({ runCount, pendingSelections }: SessionState): SessionState {
  return { ...initialState, runCount, pendingSelections, isOutdated: true }
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

function receiveLiveEvent(state: SessionState, update: LiveUpdate & { type: 'live_event' }): SessionState {
  const { replyId, event } = update
  const active = activeRun(state)
  // In other phases, the events come from the run's own stream.
  if (active !== undefined && active.phase !== 'following') return state
  if (active?.replyId === replyId) {
    if (event.seq <= active.run.seq) return state
    return event.seq === active.run.seq + 1 ? advance(state, active, event) : deferOrReload(state, update)
  }
  if (isOver(state.chat, replyId, event)) return state
  return event.type === 'started' ? follow(state, replyId, event) : deferOrReload(state, update)
}

function receiveLiveReady(state: SessionState, update: LiveUpdate & { type: 'live_ready' }): SessionState {
  if (state.isReading) return deferOrReload(state, update)
  const { run, mayHaveMissed } = update
  const active = activeRun(state)
  if (active !== undefined && active.phase !== 'following') return state
  const isKnown =
    run === undefined
      ? active === undefined && !mayHaveMissed
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
function follow(state: SessionState, replyId: string, event: RunEvent & { type: 'started' }): SessionState {
  const { user_message: userMessage } = event
  const parent = userMessage.parent_id
  const hasParent = parent === null || state.chat?.messages.some(({ id }) => id === parent) === true
  // If another run is still active, its end was missed.
  const isOutdated = state.isOutdated || activeRun(state) !== undefined || !hasParent
  const unsent = state.unsent?.message.id === userMessage.id ? undefined : state.unsent
  const run = advanceRun(emptyRun, event)
  return begin({ ...state, isOutdated, unsent }, { phase: 'following', run, isConnected: true, replyId })
}

/** Whether the run of an event has ended as far as the chat shows. */
function isOver(chat: Chat | undefined, replyId: string, event: RunEvent): boolean {
  const reply = chat?.messages.find(({ id, status }) => id === replyId && status !== 'streaming')
  if (reply === undefined || event.type !== 'started' || event.assistant_message.call === undefined)
    return reply !== undefined
  // The reply was complete before its call was approved, which started this run.
  return reply.call?.state === 'answered' || reply.call?.state === 'denied'
}

function receiveChat(state: SessionState, chat: Chat, isLive: boolean): SessionState {
  const isSent = chat.messages.some(({ id }) => id === state.unsent?.message.id)
  const read: SessionState = {
    ...state,
    chat: keepEqualMessages(state, chat),
    error: undefined,
    isReading: false,
    deferred: [],
    unsent: isSent ? undefined : state.unsent,
  }
  return joinRun(read, chat, isLive)
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

/** Begins the run of a chat that was just loaded, or ends the current run if the chat shows its end. */
function joinRun(state: SessionState, chat: Chat, isLive: boolean): SessionState {
  const active = activeRun(state)
  if (active !== undefined && !isBehind(active, chat)) return state
  const run = resumeRun(chat)
  if (run !== undefined && chat.run !== null)
    return begin(
      state,
      isLive
        ? { phase: 'following', run, isConnected: true, replyId: chat.run.message_id }
        : { phase: 'streaming', run, isConnected: true },
    )
  if (active === undefined && !state.isEndUnknown) return state
  const endedReply = chat.messages.find(({ id }) => id === chat.selected_message_id)
  // If this page left the run, the notice may say why the run ended.
  return { ...becomeIdle(state), endedReply, notice: active === undefined ? state.notice : undefined }
}

/** Whether a chat that was just loaded contains more of a run than the live updates so far. */
function isBehind(active: ActiveRun, chat: Chat): boolean {
  if (active.phase !== 'following') return false
  if (chat.run?.message_id === active.replyId) return chat.run.seq > active.run.seq
  // A chat without the reply was loaded before the run began. So was a chat in which the reply's call needs approval,
  // if the call has been approved since.
  const reply = chat.messages.find(({ id }) => id === active.replyId)
  const state = firstReply(active.run)?.call?.state ?? 'waiting'
  return reply !== undefined && (reply.call?.state !== 'waiting' || state === 'waiting')
}

type NewRun<Active> = Active extends ActiveRun ? Omit<Active, 'number'> : never

function begin(state: SessionState, active: NewRun<ActiveRun>): SessionState {
  const number = state.runCount + 1
  return {
    ...state,
    activity: { ...active, number },
    runCount: number,
    notice: undefined,
    endedReply: undefined,
    isEndUnknown: false,
  }
}

function advance(state: SessionState, active: ActiveRun, event: RunEvent): SessionState {
  const run = advanceRun(active.run, event)
  if (run === active.run) return state
  if (event.type === 'compaction')
    return replaceActive(
      { ...state, chat: state.chat && addCompaction(state.chat, event.compaction) },
      { ...active, run },
    )
  if (run.status !== 'running')
    return { ...settle(state, { ...active, run }), endedReply: run.messages.at(-1) }
  return replaceActive(
    state,
    active.phase === 'sending'
      ? { phase: 'streaming', run, number: active.number, isConnected: true }
      : { ...active, run },
  )
}

/** Without live updates this page reads the run's own stream. */
function changeLiveState(
  state: SessionState,
  active: ActiveRun & { phase: 'following' },
  live: SharedStreamState,
): SessionState {
  if (canReceive(live)) return changeConnection(state, active, live === 'open')
  const { run, number } = active
  return replaceActive(state, { phase: 'streaming', run, number, isConnected: true })
}

function changeConnection(state: SessionState, active: ActiveRun, isConnected: boolean): SessionState {
  if (active.phase === 'sending' || active.isConnected === isConnected) return state
  return replaceActive(state, { ...active, isConnected })
}

function replaceActive(state: SessionState, active: ActiveRun): SessionState {
  const isStopping = state.activity.phase === 'stopping'
  return { ...state, activity: isStopping ? { phase: 'stopping', active } : active }
}

/** Ends the current run and moves its messages, unless they are unconfirmed, into the chat. */
function settle(state: SessionState, active: ActiveRun): SessionState {
  const isConfirmed = active.phase !== 'sending'
  const endReason = active.phase === 'streaming' ? active.endReason : undefined
  return {
    ...becomeIdle(state),
    chat: state.chat && isConfirmed ? mergeMessages(state.chat, active.run.messages) : state.chat,
    notice: endReason === undefined ? undefined : { text: endReason },
    // A read that began before the run ended may return the chat without its end.
    isOutdated: state.isOutdated || state.isReading,
  }
}

/** Ends the current run before its last event has arrived. The chat is loaded again. */
function leave(state: SessionState, active: ActiveRun): SessionState {
  return { ...settle(state, active), isOutdated: true, isEndUnknown: active.phase !== 'sending' }
}

function becomeIdle(state: SessionState): SessionState {
  return {
    ...state,
    activity: { phase: 'idle' },
    notice: undefined,
    endedReply: undefined,
    isEndUnknown: false,
  }
}

const eventTypes: Readonly<Record<RunEvent['type'], true>> = {
  started: true,
  model: true,
  text: true,
  reasoning: true,
  text_was_reasoning: true,
  usage: true,
  tool_call: true,
  tool_progress: true,
  tool_question: true,
  tool_result: true,
  reply: true,
  notice: true,
  left_out_tools: true,
  compacting: true,
  compaction: true,
  mcp_status: true,
  error: true,
  ended: true,
}

/**
 * Applies an event. An unknown type, from a newer version, changes only `seq`, so that no event seems to be missing.
 */
function advanceRun(run: RunState, event: RunEvent): RunState {
  if (Object.hasOwn(eventTypes, event.type)) return applyEvent(run, event)
  return event.seq > run.seq ? { ...run, seq: event.seq } : run
}
