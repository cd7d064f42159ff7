import type { RunState } from '@yonder/contract/apply-event'
import type { Chat } from '@yonder/contract/chat'
import type { Compaction } from '@yonder/contract/compaction'
import type { RunEvent } from '@yonder/contract/completion'
import type { LiveRun } from '@yonder/contract/live'
import type { Message } from '@yonder/contract/message'
import type { Notice } from '../../../lib/api/api-error.ts'
import type { SharedStreamState } from '../../../lib/streams/share-stream.ts'
import type { UnsentMessage } from './outbox.ts'
import { mergeMessages } from './run-messages.ts'

interface Run {
  readonly run: RunState
  /** Identifies the run within the session. */
  readonly number: number
}

/** A run in progress. The phase describes how its events reach this page. */
export type ActiveRun =
  /** Requested by this page and not confirmed yet. `run` is what the page expects. */
  | (Run & { readonly phase: 'sending' })
  /**
   * This page reads the run's own stream. `endReason` says why the run will end, if the server can send no event about
   * it.
   */
  | (Run & {
      readonly phase: 'streaming'
      readonly isConnected: boolean
      readonly endReason?: string
    })
  /** Its events arrive with the live updates of this browser. `replyId`, the id of its first reply, identifies it. */
  | (Run & { readonly phase: 'following'; readonly isConnected: boolean; readonly replyId: string })

export type Activity =
  | { readonly phase: 'idle' }
  | ActiveRun
  /** The user has requested to stop the run; its events still arrive. */
  | { readonly phase: 'stopping'; readonly active: ActiveRun }

export interface SessionState {
  /** The chat as last loaded, with later changes except to the messages of the current run. Undefined until loaded. */
  readonly chat: Chat | undefined
  /** Why the chat could not be loaded. */
  readonly error?: Error | undefined
  readonly activity: Activity
  readonly unsent?: UnsentMessage | undefined
  /** A text for the user about something that failed. */
  readonly notice?: Notice | undefined
  /** The last message of the latest run, once that run has ended. It is announced. */
  readonly endedReply?: Message | undefined
  /** Whether this page left the last run before its end, so that the next read shows how it ended. */
  readonly isEndUnknown: boolean
  /** The number of runs so far. */
  readonly runCount: number
  /** Whether the chat must be loaded again, for example because an update was missed. */
  readonly isOutdated: boolean
  readonly isReading: boolean
  /** Live updates that arrived while the chat was loading; they are applied after that. */
  readonly deferred: readonly LiveUpdate[]
  /** The number of branch selections that are still being saved. */
  readonly pendingSelections: number
}

/** A live update of this chat that can be deferred. */
export type LiveUpdate =
  | { readonly type: 'live_event'; readonly replyId: string; readonly event: RunEvent }
  /** The stream of live updates begins. `run` is the run of this chat that is in progress at that moment. */
  | { readonly type: 'live_ready'; readonly run: LiveRun | undefined; readonly mayHaveMissed: boolean }

export type SessionAction =
  | LiveUpdate
  | { readonly type: 'live_changed' }
  | { readonly type: 'live_state'; readonly state: SharedStreamState }
  | { readonly type: 'read_started' }
  /** `isLive`: whether the live updates contain the events of runs that this page did not request. */
  | { readonly type: 'read'; readonly chat: Chat; readonly isLive: boolean }
  | { readonly type: 'read_failed'; readonly error?: Error }
  | { readonly type: 'outdated' }
  | { readonly type: 'requested'; readonly run: RunState }
  | { readonly type: 'event'; readonly event: RunEvent }
  | { readonly type: 'connection'; readonly isConnected: boolean }
  | { readonly type: 'ending'; readonly reason: string }
  | { readonly type: 'stop_requested' }
  | { readonly type: 'stop_failed'; readonly notice: Notice }
  /** This page stops following the run before its last event has arrived. */
  | { readonly type: 'left' }
  /** The request failed, or nothing confirmed it: as far as this page knows, the run never began. */
  | { readonly type: 'dropped'; readonly notice?: Notice; readonly unsent?: UnsentMessage }
  /** The chat has been closed for some time, so its data is discarded. */
  | { readonly type: 'forgotten' }
  /** The server can be reached again, so a notice that says otherwise is over. */
  | { readonly type: 'outage_ended' }
  | { readonly type: 'unsent'; readonly unsent: UnsentMessage | undefined }
  | { readonly type: 'branch_selected'; readonly messageId: string }
  | { readonly type: 'branch_saved'; readonly isLast: boolean }
  /** The server has stored a summary with another text, or removed it. */
  | { readonly type: 'compaction_changed'; readonly id: string; readonly compaction: Compaction | undefined }

export const initialState: SessionState = {
  chat: undefined,
  activity: { phase: 'idle' },
  isEndUnknown: false,
  runCount: 0,
  isOutdated: false,
  isReading: false,
  deferred: [],
  pendingSelections: 0,
}

export function activeRun({ activity }: SessionState): ActiveRun | undefined {
  if (activity.phase === 'idle') return undefined
  return activity.phase === 'stopping' ? activity.active : activity
}

/** The first reply of a run, whose id identifies the run. More replies may follow it. */
export function firstReply(run: RunState): Message | undefined {
  return run.messages.find(({ role }) => role === 'assistant')
}

/** What components render. A change within the messages of the current run does not replace it. */
export interface SessionView extends Pick<SessionState, 'error' | 'unsent' | 'notice' | 'endedReply'> {
  /** The chat with the messages of the current run, as they were when this view was created. */
  readonly chat: Chat | undefined
  readonly phase: Activity['phase']
  readonly isConnected: boolean
  /** The ids of the messages of the current run, which include the message that it replies to. */
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
    isConnected: isConnected(active),
    runMessageIds: new Set(messages.map(({ id }) => id)),
    error,
    unsent,
    notice,
    endedReply,
  }
}

function isSameView(before: SessionState, after: SessionState): boolean {
  const [oldRun, newRun] = [activeRun(before), activeRun(after)]
  return (
    before.chat === after.chat &&
    before.error === after.error &&
    before.unsent === after.unsent &&
    before.notice === after.notice &&
    before.endedReply === after.endedReply &&
    before.activity.phase === after.activity.phase &&
    oldRun?.phase === newRun?.phase &&
    oldRun?.number === newRun?.number &&
    isConnected(oldRun) === isConnected(newRun) &&
    oldRun?.run.messages.length === newRun?.run.messages.length
  )
}

function isConnected(active: ActiveRun | undefined): boolean {
  return active === undefined || active.phase === 'sending' || active.isConnected
}
