import { createHash } from 'node:crypto'
import {
  type Approval,
  type CallOutcome,
  type ToolCallList,
  type ToolCallQuery,
  type ToolCallRecord,
  approvals,
  callOutcomes,
} from '@yonder/contract/connector'
import { sql, type SqlBool } from 'kysely'
import type { z } from 'zod'
import { type Actor, changeable, ownedBy, readable } from '../../access/access.ts'
import type { Db } from '../../db/database.ts'
import type { ConnectorRow, ToolCallRow } from '../../db/tables/connector-tables.ts'
import { hashJson } from '../../lib/canonical-json.ts'
import { newId } from '../../lib/new-id.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { findConnectorById } from '../connector-store.ts'
import { readArguments, type ToolOutcome } from './tool-call.ts'

export interface RecordedCall {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly approval: Approval
  readonly chatId: string | null
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
  await insertToolCall(database.db, row)
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

/** Records a call that the user denied and that was not sent. Does nothing when the user has no such connector. */
export async function recordDenial(
  { database, now }: Pick<ConnectorDeps, 'database' | 'now'>,
  actor: Actor,
  connectorId: string,
  tool: string,
  callArguments: unknown,
): Promise<void> {
  const connector = await findConnectorById(database.db, actor, connectorId)
  if (connector === undefined) return
  const call = {
    tool,
    arguments: readArgumentsIfValid(callArguments),
    approval: 'denied',
    chatId: null,
  } as const
  await insertToolCall(database.db, toRow(actor, connector, call, 'denied', now()))
}

function toRow(
  actor: Actor,
  connector: Pick<ConnectorRow, 'id' | 'name'>,
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

/** Returns a page of the recorded calls of a connector in the form of the API, the newest first. */
export async function listConnectorCalls(
  db: Db,
  actor: Actor,
  connector: Pick<ConnectorRow, 'id'>,
  { before, limit }: z.infer<typeof ToolCallQuery>,
): Promise<ToolCallList> {
  const [time, id] = before?.split('.') ?? []
  const previous = time === undefined || id === undefined ? undefined : { started_at: Number(time), id }
  const calls = await listToolCalls(db, actor, connector.id, { before: previous, limit })
  const last = calls.length < limit ? undefined : calls.at(-1)
  return {
    calls: calls.map(presentToolCall),
    next: last === undefined ? null : `${last.started_at}.${last.id}`,
  }
}

/** Converts a recorded call to the form that its user gets. */
export function presentToolCall(call: ToolCallRow): ToolCallRecord {
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

/** Selects recorded calls `t`, with today's name of the connector, or the stored one of a deleted connector. */
export function selectToolCalls(db: Db) {
  return db
    .selectFrom('tool_calls as t')
    .leftJoin('connectors as c', 'c.id', 't.connector_id')
    .select(['t.id', 't.user_id', 't.connector_id', 't.tool', 't.arguments_hash', 't.approval'])
    .select(['t.outcome', 't.started_at', 't.duration', 't.bytes', 't.chat_id', 't.session'])
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
): Promise<ToolCallRow[]> {
  const calls = selectToolCalls(db)
    .where(readable(actor, 'tool_calls as t'))
    .where('t.connector_id', '=', connectorId)
  const page =
    before === undefined
      ? calls
      : calls.where(sql<SqlBool>`(t.started_at, t.id) < (${before.started_at}, ${before.id})`)
  return page.orderBy('t.started_at', 'desc').orderBy('t.id', 'desc').limit(limit).execute()
}
