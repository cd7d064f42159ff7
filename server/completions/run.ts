/* The types of a run that several folders of this domain share. They import nothing of the domain. */

import type { RunState } from '@yonder/contract/apply-event'
import type { EndedStatus, StartedEvent, UnnumberedEvent } from '@yonder/contract/completion'
import type { ErrorDetail } from '@yonder/contract/error'
import type { CutReason } from '@yonder/contract/message'
import type { BatchCall, RemainingCalls } from '../chats/tool-call-store.ts'
import type { CallApproval, DecidedBy, ToolOutcome } from '../connectors/calls/tool-call.ts'
import type { Db } from '../db/database.ts'

/** A stored run, with what its start needs. */
export interface WrittenRun {
  readonly id: number
  readonly chatId: string
  /** Whether the chat has no room for another reply, so that the model is not called. */
  readonly isChatFull: boolean
  /** The instructions of the chat's project when the run was written; null in no project. */
  readonly projectInstructions: string | null
  readonly started: StartedEvent
  readonly first: RunStep
  /** The time of the chat's latest message, in milliseconds since 1970. */
  readonly latestTime: number
}

/** What a run does next with the open reply. */
export type RunStep =
  | { readonly kind: 'call_model' }
  /** The reply makes the first of the remaining calls of a batch. */
  | ({ readonly kind: 'dispatch' } & RemainingCalls)
  | { readonly kind: 'invoke'; readonly invocation: ToolInvocation }

/** The effects of the loop. Their outcomes go into the log, which stores them and shows them to the user. */
export interface RunActions {
  /** Returns how the run ends when its texts or the chat leave no room for another reply or result. */
  findLimitEnding(): RunEnding | undefined
  /** Calls the model and writes its text into the open reply. */
  callModel(): Promise<{ readonly ending: RunEnding; readonly calls: readonly BatchCall[] }>
  /** Writes the first call into the open reply. Returns undefined when the call needs approval. */
  dispatch(remaining: RemainingCalls): Promise<ToolInvocation | undefined>
  /** Runs a call, once, and stores its result. */
  invoke(invocation: ToolInvocation): Promise<void>
  /**
   * Opens another reply after the tool's result. With `callsModel`, the model writes it, and what the user has added
   * meanwhile comes before it; else it makes the next call of the batch.
   */
  openReply(callsModel: boolean): Promise<void>
}

/** A call that was approved or needs no approval, and is run next. */
export interface ToolInvocation {
  /** The reply that makes the call. */
  readonly replyId: string
  /** Null for a tool whose name the model made up; the call is refused. */
  readonly connectorId: string | null
  readonly connectorName: string
  readonly toolName: string
  /** A JSON object as text, unless the call is refused: the user's, if the user has changed the model's. */
  readonly arguments: string
  /** The result of a call that cannot be made, for example of a tool that does not exist. Nothing is called. */
  readonly refusal: ToolOutcome | undefined
  /**
   * Why the call may run. A call that cannot be made has `no_list`.
   */
  readonly approval: CallApproval
  /** Who decided about the call, for its record. */
  readonly decided: DecidedBy
  /** Identifies the tool's definition when the call was dispatched. A tool that has changed since is not called. */
  readonly fingerprint: string | undefined
  /** Identifies the connector and credential that the user approved. Undefined for a call that needed no approval. */
  readonly credential: string | undefined
  /** The calls of the same batch that come after it. */
  readonly remaining: RemainingCalls
}

/** How a run, or one call of the model, ended. */
export interface RunEnding {
  readonly status: EndedStatus
  /** Only with `failed`. */
  readonly error?: ErrorDetail
  /** Only with `complete`. */
  readonly finish?: CutReason
}

/**
 * Why a run is aborted, as the `reason` of its abort signal: the user stopped it or was disabled, or its server shuts
 * down or has lost the run.
 */
export type AbortReason = 'stopped' | 'interrupted'

/** A position in the log of a run. */
export interface RunCursor {
  readonly runId: number
  /** The number of the last event before this position; 0 for the beginning. */
  readonly after: number
}

export interface NumberedEvent {
  readonly seq: number
  readonly json: string
}

/**
 * When an addition is committed: `immediate` without delay, `normal` when the next commit of all runs is due, `low`
 * like `normal` but after a short delay, so that what follows can share the commit.
 */
export type Urgency = 'immediate' | 'normal' | 'low'

/** A write in the transaction of a commit. `run` is the state after all events of the run in that commit. */
export type EventWrite = (trx: Db, run: RunState) => Promise<void>

export type TextKind = 'text' | 'reasoning'

/** A chunk of a reply: text, or an event. */
export type RunChunk =
  | { readonly type: TextKind; readonly text: string }
  | { readonly type: 'event'; readonly event: UnnumberedEvent; readonly write?: EventWrite }

/** The source from which a recorder pulls a reply. */
export interface RunSource {
  /** Returns the chunks that arrived since the last call, in order. */
  drain(): readonly RunChunk[]
}
