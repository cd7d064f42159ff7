import type { RunState } from '@yonder/contract/apply-event'
import { countChars } from '@yonder/contract/message-text'
import { sql, type RawBuilder } from 'kysely'
import { ofUser } from '../../access/access.ts'
import { touchChat } from '../../chats/chat-store.ts'
import { fillReply } from '../../chats/message-store.ts'
import type { Db, Dialect } from '../../db/database.ts'
import { prepareQuery } from '../../db/dialects/prepare-query.ts'
import type { ElicitationAnswerRow, RunEventRow, RunRow } from '../../db/tables/tables.ts'

/** The id of the last reply of a run. */
export function lastReplyId({ messages }: RunState): string {
  return messages.findLast(({ role }) => role === 'assistant')?.id ?? ''
}

/** Milliseconds for which a lease is valid. The node of a run renews it in time. */
export const leaseMs = 10_000

/** A literal, because SQLite does not use the partial index on active runs when the status is a parameter. */
const running = sql.lit('running')

/** A run. While its status is `running`, `expired` means that its node has not renewed the lease in time. */
export type StoredRun = RunRow & { readonly expired: boolean }

type NewRun = Pick<RunRow, 'chat_id' | 'user_id' | 'message_id' | 'node_id' | 'started_at'>

const runInsert = prepareQuery((db, { clock, ...run }: NewRun & { readonly clock: RawBuilder<number> }) =>
  db
    .insertInto('runs')
    .values({
      ...run,
      status: 'running',
      lease_until: sql`${clock} + ${leaseMs}`,
      last_seq: 1,
      stop_requested: 0,
    })
    .returning('id')
    .compile(),
)

/**
 * Stores a run with its first event, and returns its id. Rejects with the database's unique violation when the chat
 * already has an active run.
 */
export async function insertRun(
  trx: Db,
  { clock }: Dialect,
  run: NewRun,
  startedEvent: string,
): Promise<number> {
  const { rows } = await runInsert(trx, { ...run, clock })
  const [row] = rows
  if (row === undefined) throw new Error('the database returned no id for a run')
  await insertEvent(trx, { run_id: row.id, seq: 1, event: startedEvent })
  return row.id
}

function selectRuns(db: Db, dialect: Dialect) {
  return db
    .selectFrom('runs')
    .selectAll()
    .select((eb) => eb(eb.ref('lease_until'), '<', dialect.clock).as('expired'))
}

async function findOne(query: ReturnType<typeof selectRuns>): Promise<StoredRun | undefined> {
  const row = await query.executeTakeFirst()
  return row && { ...row, expired: Boolean(row.expired) }
}

export function findRun(db: Db, dialect: Dialect, runId: number): Promise<StoredRun | undefined> {
  return findOne(selectRuns(db, dialect).where('id', '=', runId))
}

/** Returns the active run of a chat. */
export function findActiveRun(db: Db, dialect: Dialect, chatId: string): Promise<StoredRun | undefined> {
  return findOne(selectRuns(db, dialect).where('chat_id', '=', chatId).where('status', '=', running))
}

/**
 * Returns the chat's newest run that is still stored. If `messageId` is given, returns the newest run whose first reply
 * is that message.
 */
export function findLatestRun(
  db: Db,
  dialect: Dialect,
  chatId: string,
  messageId?: string,
): Promise<StoredRun | undefined> {
  let query = selectRuns(db, dialect).where('chat_id', '=', chatId)
  if (messageId !== undefined) query = query.where('message_id', '=', messageId)
  // By id and not by time, because the clocks of two nodes may differ. Within a chat, a later run has a higher id.
  return findOne(query.orderBy('id', 'desc').limit(1))
}

/** The ids of a run, its chat, its user, its first reply and the node that executes it. */
export type RunRef = Pick<RunRow, 'id' | 'chat_id' | 'user_id' | 'message_id' | 'node_id'>

function selectRefs(db: Db) {
  return db.selectFrom('runs').select(['id', 'chat_id', 'user_id', 'message_id', 'node_id'])
}

export function listRunRefs(db: Db, runIds: readonly number[]): Promise<RunRef[]> {
  return selectRefs(db).where('id', 'in', runIds).execute()
}

/** Returns the user's active runs on all nodes. */
export function listRunsOfUser(db: Db, userId: string): Promise<RunRef[]> {
  return selectRefs(db).where('status', '=', running).where(ofUser(userId, 'runs')).execute()
}

/** Returns the active runs of other nodes. */
export function listForeignRuns(db: Db, nodeId: string): Promise<RunRef[]> {
  return selectRefs(db).where('status', '=', running).where('node_id', '!=', nodeId).execute()
}

/** Returns the runs of other nodes that have ended since this time, in milliseconds since 1970. */
export function listEndedForeignRuns(db: Db, nodeId: string, since: number): Promise<RunRef[]> {
  return selectRefs(db).where('ended_at', '>=', since).where('node_id', '!=', nodeId).execute()
}

/** Returns the ids of up to 100 runs whose lease has expired. */
export async function listExpiredRuns(db: Db, dialect: Dialect): Promise<number[]> {
  const rows = await db
    .selectFrom('runs')
    .select('id')
    .where('status', '=', running)
    .where('lease_until', '<', dialect.clock)
    .limit(100)
    .execute()
  return rows.map((row) => row.id)
}

/** Returns the events of a run after the given one, in order. */
export function listEvents(
  db: Db,
  runId: number,
  after: number,
  limit?: number,
): Promise<{ seq: number; event: string }[]> {
  const query = db
    .selectFrom('run_events')
    .select(['seq', 'event'])
    .where('run_id', '=', runId)
    .where('seq', '>', after)
    .orderBy('seq')
  return (limit === undefined ? query : query.limit(limit)).execute()
}

/** Whether a call of the run has asked a question, open or not. */
export async function hasQuestion(db: Db, runId: number): Promise<boolean> {
  const row = await db
    .selectFrom('run_events')
    .select('seq')
    .where('run_id', '=', runId)
    .where('event', 'like', '{"type":"tool_question"%')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns the number of a run's newest event, or 0. */
export async function findLastSeq(db: Db, runId: number): Promise<number> {
  const row = await db
    .selectFrom('run_events')
    .select((eb) => eb.fn.max('seq').as('seq'))
    .where('run_id', '=', runId)
    .executeTakeFirst()
  return row?.seq ?? 0
}

/**
 * Returns the chat's `started`, `tool_result` and `message` events whose JSON contains the id of the message, from all runs of the
 * chat, newest first.
 */
export function listEventsMentioning(db: Db, chatId: string, messageId: string): Promise<RunEventRow[]> {
  return db
    .selectFrom('run_events as e')
    .innerJoin('runs as r', 'r.id', 'e.run_id')
    .selectAll('e')
    .where('r.chat_id', '=', chatId)
    .where('e.event', 'like', `%${messageId}%`)
    .where((where) =>
      where.or([
        where('e.event', 'like', '{"type":"tool_result"%'),
        where('e.event', 'like', '{"type":"message"%'),
        where('e.event', 'like', '{"type":"started"%'),
      ]),
    )
    .orderBy('e.run_id', 'desc')
    .orderBy('e.seq', 'desc')
    .execute()
}

const eventInsert = prepareQuery((db, event: RunEventRow) =>
  db.insertInto('run_events').values(event).compile(),
)

/** Used for the first event of a run, and to end a run whose node died. All other events are written by the run log. */
export async function insertEvent(trx: Db, event: RunEventRow): Promise<void> {
  await eventInsert(trx, event)
}

/** Whether exactly this event is stored. */
export async function isEventStored(db: Db, { run_id, seq, event }: RunEventRow): Promise<boolean> {
  const row = await db
    .selectFrom('run_events')
    .select('event')
    .where('run_id', '=', run_id)
    .where('seq', '=', seq)
    .executeTakeFirst()
  return row?.event === event
}

/** How a run ended; `now` in milliseconds since 1970. */
interface RunEnd {
  readonly id: number
  readonly status: string
  readonly lastSeq: number
  readonly now: number
}

const runEndUpdate = prepareQuery((db, run: RunEnd) =>
  db
    .updateTable('runs')
    .set({ status: run.status, last_seq: run.lastSeq, ended_at: run.now })
    .where('id', '=', run.id)
    .where('status', '=', running)
    .compile(),
)

/**
 * Stores the end of a run and its last reply, both from `state`. When the run has already ended, only the chat's update
 * time changes.
 */
export async function closeRun(
  trx: Db,
  run: { readonly id: number; readonly chat_id: string },
  state: RunState,
  now: number,
): Promise<void> {
  const last = state.messages.at(-1)
  if (last === undefined) throw new Error(`run ${run.id} has no reply`)
  // Locks the chat before its messages: two writers that lock in different orders would deadlock.
  await touchChat(trx, run.chat_id, now, 0, { unread: state.status !== 'stopped' })
  const end = { id: run.id, status: state.status, lastSeq: state.seq, now }
  const { numAffectedRows = 0n } = await runEndUpdate(trx, end)
  if (numAffectedRows === 0n) return
  // When the run ends right after a tool's result, the last message is that result and not a reply.
  if (last.role !== 'assistant') return
  await fillReply(trx, run.chat_id, last)
  // The characters of a reply with a call were counted when the call was written.
  if (last.call === undefined) await touchChat(trx, run.chat_id, now, countChars(last))
}

/** Renews the leases of a node's runs. Returns the ids of those still running; the others have ended. */
export async function renewLeases(
  db: Db,
  dialect: Dialect,
  nodeId: string,
  runIds: readonly number[],
): Promise<number[]> {
  const rows = await db
    .updateTable('runs')
    .set({ lease_until: sql`${dialect.clock} + ${leaseMs}` })
    .where('status', '=', running)
    .where('node_id', '=', nodeId)
    .where('id', 'in', runIds)
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}

/** Stores a request to the run's node to stop the run. */
export async function requestStop(db: Db, runId: number): Promise<void> {
  await db
    .updateTable('runs')
    .set({ stop_requested: 1 })
    .where('id', '=', runId)
    .where('status', '=', running)
    .execute()
}

/** Returns the ids of the node's runs that another node has asked to stop, of disabled users and of deleted chats. */
export async function listStopRequests(db: Db, nodeId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('runs')
    .select('id')
    .where('status', '=', running)
    .where('node_id', '=', nodeId)
    .where((where) =>
      where.or([
        where('stop_requested', '=', 1),
        where.exists(
          where
            .selectFrom('users')
            .select('users.id')
            .whereRef('users.id', '=', 'runs.user_id')
            .where('disabled_at', 'is not', null),
        ),
        where.exists(
          where
            .selectFrom('chats')
            .select('chats.id')
            .whereRef('chats.id', '=', 'runs.chat_id')
            .where('deleted_at', 'is not', null),
        ),
      ]),
    )
    .execute()
  return rows.map((row) => row.id)
}

/**
 * Removes up to `limit` events of runs that ended before `before` (milliseconds since 1970), and returns how many it
 * removed.
 */
export async function deleteOldEvents(db: Db, before: number, limit: number): Promise<number> {
  const result = await sql`
    delete from run_events where (run_id, seq) in (
      select e.run_id, e.seq from runs r join run_events e on e.run_id = r.id
      where r.ended_at < ${before} limit ${limit})`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}

/** Removes runs that ended before `before` (milliseconds since 1970), with the remaining events of their logs. */
export async function deleteOldRuns(db: Db, before: number): Promise<void> {
  await db.deleteFrom('runs').where('ended_at', '<', before).execute()
}

/** Stores the answer to an elicitation. Returns false when the elicitation already has one. */
export async function insertAnswer(db: Db, answer: ElicitationAnswerRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('question_answers')
    .values(answer)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Returns the answers to the elicitations of runs. */
export function listAnswers(db: Db, runIds: readonly number[]): Promise<ElicitationAnswerRow[]> {
  return db.selectFrom('question_answers').selectAll().where('run_id', 'in', runIds).execute()
}
