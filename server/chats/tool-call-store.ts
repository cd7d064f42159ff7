import type { ToolCall, ToolChange } from '@yonder/contract/tool-call'
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

/** The `call` column of a reply. The connector, the tool and the arguments have columns of their own. */
export interface StoredCall {
  readonly id: string
  readonly name: string
  readonly note?: unknown
  /** True for a call of a tool that does not exist; it cannot run. */
  readonly unknown?: true
  /** True when its arguments are not a JSON object; it cannot run. */
  readonly isBroken?: true
  /** True when it belongs to the same batch as the call before it on the path. */
  readonly continues?: true
  /** The number of calls in its batch, if there are several. */
  readonly total?: number
  /** The user's message that denied only this call; the next call of the batch comes after this message. */
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
  /** The calls of the same batch that come after this one. */
  readonly rest: readonly BatchCall[]
}

/** Parses the `call` column of a reply. */
export function parseCall(stored: string): StoredCall {
  return JSON.parse(stored) as StoredCall
}

/** The calls of a batch that are still to be made, and the number of all its calls. */
export interface RemainingCalls {
  readonly calls: readonly BatchCall[]
  readonly total: number
}

/** Returns the calls that come after a call in its batch. */
export function remainingCalls({ rest, total }: StoredCall): RemainingCalls {
  // The only call of a batch is stored without the total.
  return { calls: rest, total: total ?? rest.length + 1 }
}

/** Returns the place of a call among the calls of its batch; undefined when its total is not stored. */
export function placeOf({ rest, total }: Pick<StoredCall, 'rest' | 'total'>): ToolCall['place'] {
  return total === undefined ? undefined : { index: total - rest.length, total }
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
export async function claimPendingCall(
  trx: Db,
  { chat_id, id }: Pick<MessageRow, 'chat_id' | 'id'>,
  { state, call }: CallClaim,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('messages')
    .set({ call_state: state, ...(call === undefined ? {} : { call: JSON.stringify(call) }) })
    .where('chat_id', '=', chat_id)
    .where('id', '=', id)
    .where('call_state', '=', 'waiting')
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
