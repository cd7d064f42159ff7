import type { CallDecision, StepCall, ToolCall, ToolChange, ToolEffect } from '@yonder/contract/tool-call'
import { sql } from 'kysely'
import { type Actor, readable } from '../access/access.ts'
import type { Db } from '../db/database.ts'
import type { MessageRow } from '../db/tables/tables.ts'
import { selectMessages } from './message-store.ts'

/** A tool call of a model, with the tool that its name referred to when the call was made. */
export interface BatchCall {
  /** The model's id of the call. */
  readonly id: string
  /** The tool's name in the request to the model. */
  readonly name: string
  /** A JSON object as text; with `isBroken` whatever the model sent. */
  readonly arguments: string
  readonly isBroken?: true
  /** Data that the model's adapter expects back with the call. */
  readonly note?: unknown
  /** The tool with this name; absent for a name that the model made up. */
  readonly target?: {
    readonly connectorId: string
    readonly connectorName: string
    readonly toolName: string
  }
}

/** What the user sees of a later call of a step while an earlier one waits. */
export interface CallPreview extends Pick<
  StoredCall,
  'title' | 'effect' | 'alwaysAsks' | 'changes' | 'fingerprint' | 'credential'
> {
  readonly asks: boolean
}

/** What the user has decided about a later call of a step, and on which device. */
export type EarlyDecision = NonNullable<StepCall['decided']> & { readonly on?: string }

/** A call that comes after a stored one in its batch. */
export interface LaterCall extends BatchCall {
  /** As it was when the call before it asked. Absent on calls beyond those that are listed. */
  readonly preview?: CallPreview
  readonly decided?: EarlyDecision
}

/** The `call` column of a reply. The connector, the tool and the arguments have columns of their own. */
export interface StoredCall {
  readonly id: string
  readonly name: string
  readonly note?: unknown
  /** True for a call that was imported: it never runs, and models are not given it. */
  readonly imported?: true
  /** Its place in its batch, of which nothing else is stored here. Only of an imported call. */
  readonly place?: ToolCall['place']
  /** True for a call of a tool that does not exist; it cannot run. */
  readonly unknown?: true
  /** True when its arguments are not a JSON object; it cannot run. */
  readonly isBroken?: true
  /** True when it belongs to the same batch as the call before it on the path. */
  readonly continues?: true
  /** The number of calls in its batch, if there are several. */
  readonly total?: number
  /**
   * The user's message that denied only this call. It is the result of the call for the model, and the next call of the
   * batch comes after it.
   */
  readonly deniedBy?: string
  /** The tool's display name. */
  readonly title?: string
  /** What has changed in the tool since the user allowed it. */
  readonly changes?: readonly ToolChange[]
  /** The fingerprint of the tool when the call was dispatched. A tool with another fingerprint is not called. */
  readonly fingerprint?: string
  /**
   * On a call that needs approval: identifies the connector and its credential (no secret). With another one the call
   * is not made.
   */
  readonly credential?: string
  /** What its server says that the tool does. */
  readonly effect?: ToolEffect
  /** True when the operator lets its tool always ask, so that it can only be allowed once. */
  readonly alwaysAsks?: true
  /** Since when it needs approval, in milliseconds since 1970. */
  readonly askedAt?: number
  /** Absent while it waits, on a call that could not be made anyway, and on calls of earlier versions. */
  readonly decision?: CallDecision
  /** The arguments with which the user allowed the call, a JSON object as text, if the user has changed them. */
  readonly edited?: string
  /** The calls of the same batch that come after this one. */
  readonly rest: readonly LaterCall[]
}

/** Parses the `call` column of a reply. */
export function parseCall(stored: string): StoredCall {
  return JSON.parse(stored) as StoredCall
}

/** The calls of a batch that are still to be made, and the number of all its calls. */
export interface RemainingCalls {
  readonly calls: readonly LaterCall[]
  readonly total: number
}

/** Returns the calls that come after a call in its batch. */
export function remainingCalls({ rest, total }: StoredCall): RemainingCalls {
  // The only call of a batch is stored without the total.
  return { calls: rest, total: total ?? rest.length + 1 }
}

/** Returns the later calls of a step without what the user saw and decided of them, after all of them were denied. */
export function withoutDecisions(calls: readonly LaterCall[]): readonly BatchCall[] {
  return calls.map(({ preview: _, decided: __, ...call }) => call)
}

/** Returns the place of a call among the calls of its batch; undefined when its total is not stored. */
export function placeOf({
  rest,
  total,
  place,
}: Pick<StoredCall, 'rest' | 'total' | 'place'>): ToolCall['place'] {
  return total === undefined ? place : { index: total - rest.length, total }
}

export interface PendingCallFilter {
  /** The name of the connector; with `messageId` also the one that it had when the call was made. */
  readonly server: string
  readonly tool: string
  readonly chatId?: string | undefined
  readonly messageId?: string | undefined
}

/** The maximum number of replies that `listPendingCalls` returns. */
export const pendingCallsPageSize = 50

/**
 * Returns the user's replies with a call of this tool that needs approval, newest first: at most
 * `pendingCallsPageSize`, after the first `offset`.
 */
export function listPendingCalls(
  db: Db,
  actor: Actor,
  { server, tool, chatId, messageId }: PendingCallFilter,
  offset: number,
): Promise<MessageRow[]> {
  let query = selectMessages(db)
    .innerJoin('chats', 'chats.id', 'm.chat_id')
    .where(readable(actor, 'chats'))
    .where('m.call_state', '=', 'waiting')
    .where('m.tool', '=', tool)
    .where((where) => {
      const isName = where(where.fn.coalesce('c.name', 'm.server'), '=', server)
      return messageId === undefined ? isName : where.or([isName, where('m.server', '=', server)])
    })
  if (chatId !== undefined) query = query.where('m.chat_id', '=', chatId)
  if (messageId !== undefined) query = query.where('m.id', '=', messageId)
  return query
    .orderBy('m.unix_timestamp', 'desc')
    .orderBy('m.position', 'desc')
    .limit(pendingCallsPageSize)
    .offset(offset)
    .execute()
}

/** The new state of a call that needs approval, and its new `call` column if that changes too. */
export interface CallClaim {
  readonly state: 'running' | 'denied'
  readonly call?: StoredCall
}

/** Claims a call that needs approval. Returns false when another request has claimed it. */
export function claimPendingCall(
  trx: Db,
  message: Pick<MessageRow, 'chat_id' | 'id'>,
  { state, call }: CallClaim,
): Promise<boolean> {
  return updatePendingCall(trx, message, {
    call_state: state,
    ...(call === undefined ? {} : { call: JSON.stringify(call) }),
  })
}

/** Changes the `call` column of a call that needs approval. Returns false when it needs none any more. */
export function changePendingCall(
  trx: Db,
  message: Pick<MessageRow, 'chat_id' | 'id'>,
  call: StoredCall,
): Promise<boolean> {
  return updatePendingCall(trx, message, { call: JSON.stringify(call) })
}

async function updatePendingCall(
  trx: Db,
  { chat_id, id }: Pick<MessageRow, 'chat_id' | 'id'>,
  change: Partial<Pick<MessageRow, 'call_state' | 'call'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('messages')
    .set(change)
    .where('chat_id', '=', chat_id)
    .where('id', '=', id)
    .where('call_state', '=', 'waiting')
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** The maximum number of replies that `listOldPendingCalls` returns. */
export const oldCallsPageSize = 50

/** A reply with a call that needs approval, and the user of its chat. */
export type OldPendingCall = MessageRow & { readonly user_id: string }

/**
 * Returns replies of all users with a call that needs approval which were begun until a time in milliseconds since 1970,
 * oldest first: at most `oldCallsPageSize`, after the first `offset`.
 */
export function listOldPendingCalls(db: Db, until: number, offset: number): Promise<OldPendingCall[]> {
  return (
    selectMessages(db)
      .innerJoin('chats', 'chats.id', 'm.chat_id')
      .select('chats.user_id')
      // A literal, because SQLite does not use the partial index when the state is a parameter.
      .where('m.call_state', '=', sql.lit('waiting'))
      .where('m.unix_timestamp', '<=', until)
      .orderBy('m.unix_timestamp')
      .orderBy('m.position')
      .limit(oldCallsPageSize)
      .offset(offset)
      .execute()
  )
}
