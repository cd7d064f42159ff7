import { createHash } from 'node:crypto'
import {
  type CallOutcome,
  type ToolCallList,
  type ToolCallQuery,
  type ToolCallRecord,
  callOutcomes,
} from '@yonder/contract/connector'
import { type Approval, approvals } from '@yonder/contract/tool-call'
import { sql, type SqlBool } from 'kysely'
import type { z } from 'zod'
import { type Actor, changeable, ownedBy, readable } from '../../access/access.ts'
import type { Db } from '../../db/database.ts'
import type { ConnectorRow, ToolCallRow } from '../../db/tables/connector-tables.ts'
import { hashJson } from '../../lib/canonical-json.ts'
import { newId } from '../../lib/new-id.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { findConnectorById } from '../connector-store.ts'
import { countUse } from '../tools/grant-store.ts'
import { type DecidedBy, readArguments, type ToolOutcome } from './tool-call.ts'

export interface RecordedCall {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly approval: Approval
  readonly chatId: string | null
  /** The grant that allows it, with the approval `granted`. */
  readonly grantId?: string | undefined
  readonly decided?: DecidedBy | undefined
}

/** A call that the user denied, or that nobody decided about in time. */
export interface DeniedCall {
  readonly connectorId: string
  /** The name of the connector, for the record of a call whose connector was deleted. */
  readonly connectorName?: string
  readonly toolName: string
  /** A JSON object, or its text. */
  readonly arguments: unknown
  /** `denied` by default. */
  readonly approval?: 'denied' | 'expired'
  readonly chatId?: string
  readonly decided?: DecidedBy
}

/** The record of a call that has started. */
export interface StartedRecord {
  /**
   * Records the session that the call runs in. Returns whether the chat's last call of this connector ran in another
   * one, whatever has ended it.
   */
  enterSession(sessionId: string): Promise<boolean>
  /** Records the outcome. */
  end(outcome: CallOutcome, end: Pick<ToolOutcome, 'duration' | 'bytes'>): Promise<void>
}

/** Records that a call starts, before anything is sent. */
export async function recordCall(
  { database, now }: Pick<ConnectorDeps, 'database' | 'now'>,
  actor: Actor,
  connector: Pick<ConnectorRow, 'id' | 'name'>,
  call: RecordedCall,
): Promise<StartedRecord> {
  const row = toRow(actor, connector, call, 'started', now())
  await database.db.transaction().execute(async (trx) => {
    await insertToolCall(trx, row)
    if (call.grantId !== undefined)
      await countUse(trx, actor, { kind: 'granted', id: call.grantId }, row.started_at)
    else if (call.approval === 'listed')
      await countUse(
        trx,
        actor,
        { kind: 'listed', connectorId: connector.id, tool: call.tool },
        row.started_at,
      )
  })
  return {
    async enterSession(sessionId) {
      // The id itself may give access to the session.
      const session = createHash('sha256').update(sessionId).digest('base64url').slice(0, 22)
      const last = await findLastSession(database.db, actor, row)
      await updateToolCall(database.db, actor, row.id, { session })
      return last !== undefined && last !== session
    },
    end: (outcome, { duration, bytes }) =>
      updateToolCall(database.db, actor, row.id, { outcome, duration: Math.round(duration), bytes }),
  }
}

/**
 * Records a call that was denied, or has expired, and was not sent. Does nothing when the user has no such connector and
 * the call does not name it.
 */
export async function recordDenial(
  { database, now }: Pick<ConnectorDeps, 'database' | 'now'>,
  actor: Actor,
  denied: DeniedCall,
): Promise<void> {
  const { connectorId, connectorName, toolName, approval = 'denied', chatId, decided } = denied
  const found = await findConnectorById(database.db, actor, connectorId)
  const connector = found ?? (connectorName === undefined ? undefined : { id: null, name: connectorName })
  if (connector === undefined) return
  const call = {
    tool: toolName,
    arguments: readArgumentsIfValid(denied.arguments),
    approval,
    chatId: chatId ?? null,
    decided,
  }
  await insertToolCall(database.db, toRow(actor, connector, call, 'denied', now()))
}

function toRow(
  actor: Actor,
  connector: { readonly id: string | null; readonly name: string },
  call: RecordedCall,
  outcome: CallOutcome,
  startedAt: number,
): ToolCallRow {
  return {
    id: newId(),
    ...ownedBy(actor),
    connector_id: connector.id,
    connector: connector.name,
    tool: call.tool,
    arguments_hash: hashJson(call.arguments),
    approval: call.approval,
    outcome,
    started_at: startedAt,
    duration: null,
    bytes: null,
    chat_id: call.chatId,
    session: null,
    message_id: call.decided?.messageId ?? null,
    decided_at: call.decided?.at ?? null,
    decided_on: call.decided?.on ?? null,
    grant_id: call.grantId ?? null,
    edited: Number(call.decided?.edited ?? false),
  }
}

/** Returns an empty object for invalid arguments, with which the call could not have been sent. */
function readArgumentsIfValid(callArguments: unknown): Readonly<Record<string, unknown>> {
  try {
    return readArguments(callArguments)
  } catch {
    return {}
  }
}

type ToolCallPageQuery = z.infer<typeof ToolCallQuery>

/** Returns a page of the recorded calls of a connector in the form of the API, the newest first. */
export async function listConnectorCalls(
  db: Db,
  actor: Actor,
  connector: Pick<ConnectorRow, 'id'>,
  { before, limit }: ToolCallPageQuery,
): Promise<ToolCallList> {
  const previous = readCursor(before)
  const calls = await listToolCalls(db, actor, connector.id, {
    before: previous && { started_at: previous.time, id: previous.id },
    limit,
  })
  return presentPage(calls, limit, ({ started_at }) => started_at)
}

const dayMs = 24 * 60 * 60 * 1_000
/** How long a decision is listed, in milliseconds. The record of its call stays. */
const maxDecisionAgeMs = 90 * dayMs

/** Returns a page of the calls that the user decided, or that expired, the newest decision first. */
export async function listDecidedCalls(
  { database: { db }, now }: Pick<ConnectorDeps, 'database' | 'now'>,
  actor: Actor,
  { before, limit }: ToolCallPageQuery,
): Promise<ToolCallList> {
  const previous = readCursor(before)
  const decided = selectToolCalls(db, actor)
    .where(readable(actor, 'tool_calls as t'))
    .where('t.decided_at', '>', now() - maxDecisionAgeMs)
  const page =
    previous === undefined
      ? decided
      : decided.where(sql<SqlBool>`(t.decided_at, t.id) < (${previous.time}, ${previous.id})`)
  const calls = await page.orderBy('t.decided_at', 'desc').orderBy('t.id', 'desc').limit(limit).execute()
  return presentPage(calls, limit, ({ decided_at }) => decided_at ?? 0)
}

function readCursor(before: string | undefined): { readonly time: number; readonly id: string } | undefined {
  const [time, id] = before?.split('.') ?? []
  return time === undefined || id === undefined ? undefined : { time: Number(time), id }
}

function presentPage(
  calls: readonly ListedCall[],
  limit: number,
  timeOf: (call: ListedCall) => number,
): ToolCallList {
  const last = calls.length < limit ? undefined : calls.at(-1)
  return {
    calls: calls.map(presentToolCall),
    next: last === undefined ? null : `${timeOf(last)}.${last.id}`,
  }
}

/** A recorded call with the title of its chat; `found_chat` is null when the chat was deleted. */
export interface ListedCall extends ToolCallRow {
  readonly found_chat: string | null
  readonly chat_title: string | null
}

/** Converts a recorded call to the form that its user gets. */
export function presentToolCall(call: ListedCall): ToolCallRecord {
  return {
    id: call.id,
    connector: call.connector,
    tool: call.tool,
    arguments_hash: call.arguments_hash,
    approval: approvals.find((approval) => approval === call.approval) ?? 'once',
    outcome: callOutcomes.find((outcome) => outcome === call.outcome) ?? 'started',
    started_at: new Date(call.started_at).toISOString(),
    duration: call.duration,
    bytes: call.bytes,
    chat_id: call.found_chat,
    chat_title: call.chat_title,
    message_id: call.message_id,
    decided_at: call.decided_at === null ? null : new Date(call.decided_at).toISOString(),
    decided_on: call.decided_on,
    edited: call.edited === 1,
    grant_id: call.grant_id,
  }
}

export async function insertToolCall(db: Db, call: ToolCallRow): Promise<void> {
  await db.insertInto('tool_calls').values(call).execute()
}

/** Stores the outcome of a call, or the session that it runs in. */
export async function updateToolCall(
  db: Db,
  actor: Actor,
  id: string,
  change: Partial<Pick<ToolCallRow, 'outcome' | 'duration' | 'bytes' | 'session'>>,
): Promise<void> {
  await db
    .updateTable('tool_calls')
    .set(change)
    .where(changeable(actor, 'tool_calls'))
    .where('id', '=', id)
    .execute()
}

/**
 * Selects recorded calls `t`, with today's name of the connector, or the stored one of a deleted connector, and the title
 * of the chat unless the actor has deleted it.
 */
export function selectToolCalls(db: Db, actor: Actor) {
  return db
    .selectFrom('tool_calls as t')
    .leftJoin('connectors as c', 'c.id', 't.connector_id')
    .leftJoin('chats as h', (join) => join.onRef('h.id', '=', 't.chat_id').on(readable(actor, 'chats as h')))
    .select(['t.id', 't.user_id', 't.connector_id', 't.tool', 't.arguments_hash', 't.approval'])
    .select(['t.outcome', 't.started_at', 't.duration', 't.bytes', 't.chat_id', 't.session'])
    .select(['t.message_id', 't.decided_at', 't.decided_on', 't.grant_id', 't.edited'])
    .select(['h.id as found_chat', 'h.title as chat_title'])
    .select(({ fn }) => fn.coalesce('c.name', 't.connector').as('connector'))
}

/** Returns the session in which the chat's last call of a connector ran that ran in any. */
async function findLastSession(
  db: Db,
  actor: Actor,
  { chat_id, connector_id }: Pick<ToolCallRow, 'chat_id' | 'connector_id'>,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('tool_calls')
    .select('session')
    .where(readable(actor, 'tool_calls'))
    .where('chat_id', '=', chat_id)
    .where('connector_id', '=', connector_id)
    .where('session', 'is not', null)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.session ?? undefined
}

export interface ToolCallPage {
  /** The last call of the previous page. The page has the calls before it in time. */
  readonly before: Pick<ToolCallRow, 'started_at' | 'id'> | undefined
  readonly limit: number
}

/** Returns the rows of a page of the recorded calls of a connector, the newest first. */
export function listToolCalls(
  db: Db,
  actor: Actor,
  connectorId: string,
  { before, limit }: ToolCallPage,
): Promise<ListedCall[]> {
  const calls = selectToolCalls(db, actor)
    .where(readable(actor, 'tool_calls as t'))
    .where('t.connector_id', '=', connectorId)
  const page =
    before === undefined
      ? calls
      : calls.where(sql<SqlBool>`(t.started_at, t.id) < (${before.started_at}, ${before.id})`)
  return page.orderBy('t.started_at', 'desc').orderBy('t.id', 'desc').limit(limit).execute()
}
