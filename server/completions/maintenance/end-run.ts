import { applyEvent, emptyRun, type RunState } from '@yonder/contract/apply-event'
import type { RunEvent } from '@yonder/contract/completion'
import { requireChat } from '../../chats/chat-store.ts'
import { findLatestTime, findMessage } from '../../chats/message-store.ts'
import { interruptedCall } from '../../connectors/calls/tool-call.ts'
import type { Db } from '../../db/database.ts'
import type { User } from '../../identity/user.ts'
import { waitAtMost } from '../../lib/abort.ts'
import { AppError } from '../../lib/app-error.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import {
  closeRun,
  findActiveRun,
  lastReplyId,
  findRun,
  insertEvent,
  listEvents,
  requestStop,
} from '../log/run-store.ts'
import { storeResult, createResult, type CreatedResult } from '../tools/tool-result.ts'

/**
 * Ends a run as interrupted when its lease has expired, and keeps the text that was shown. Does nothing when the lease
 * is still valid or the run has ended.
 */
export async function expireRun(
  { database, runs, now, onEnded }: Pick<CompletionDeps, 'database' | 'runs' | 'now' | 'onEnded'>,
  runId: number,
): Promise<void> {
  // A process never expires its own runs, whatever the clock says: the machine may have been asleep.
  if (runs.has(runId)) return
  const { db, dialect } = database
  const ended = await db.transaction().execute(async (trx) => {
    await dialect.lockRun(trx, runId)
    const run = await findRun(trx, dialect, runId)
    if (run === undefined || run.status !== 'running' || !run.expired) return undefined
    let state = await foldLog(trx, runId)
    const append = async (event: RunEvent): Promise<void> => {
      await insertEvent(trx, { run_id: runId, seq: event.seq, event: JSON.stringify(event) })
      state = applyEvent(state, event)
    }
    const result = await createInterruptedResult(trx, run.chat_id, state, now())
    if (result !== undefined) {
      const { message } = result
      const { content } = message
      await append({ type: 'tool_result', seq: state.seq + 1, role: 'user', content, message })
      await storeResult(trx, run.chat_id, result)
    }
    await append({ type: 'ended', seq: state.seq + 1, status: 'interrupted' })
    await closeRun(trx, run, state, now())
    await dialect.notifyRuns(trx, [runId])
    return { id: runId, chatId: run.chat_id, userId: run.user_id, replyId: lastReplyId(state) }
  })
  if (ended !== undefined) onEnded(ended)
}

/**
 * Creates the result of the call that was running, if there is one. Its tool may have finished, so the call is never
 * repeated.
 */
async function createInterruptedResult(
  trx: Db,
  chatId: string,
  { messages }: RunState,
  now: number,
): Promise<CreatedResult | undefined> {
  const last = messages.at(-1)
  if (last?.call?.state !== 'running') return undefined
  const { id, server = '', tool = '' } = last
  const time = Math.max(now, (await findLatestTime(trx, chatId)) + 1)
  const { parts, ...interrupted } = interruptedCall(true)
  const outcome = {
    ...interrupted,
    // There is no file in it.
    parts: parts.flatMap((part) => ('data' in part ? [] : [part])),
    duration: null,
  }
  const connectorId = (await findMessage(trx, chatId, id))?.connector_id ?? null
  return createResult({ replyId: id, connectorId, connectorName: server, toolName: tool }, outcome, time)
}

/** Computes the state of a run from its committed events. */
export async function foldLog(db: Db, runId: number): Promise<RunState> {
  const rows = await listEvents(db, runId, 0)
  // The events were written by a server, so they are not validated.
  return rows.reduce((state, { event }) => applyEvent(state, JSON.parse(event) as RunEvent), emptyRun)
}

/** Milliseconds to wait at most until the end of a stopped run is stored, which needs the database. */
const maxStopMs = 10_000
/** Milliseconds between two reads of the status of a run that another node stops. */
const stopPollMs = 200

interface StopOptions {
  /** Milliseconds to wait at most. */
  readonly maxMs?: number
  /** Stops only this run, and none that has begun since. */
  readonly runId?: number
}

/**
 * Stops the active run of a user's chat, whichever node executes it, and keeps its text. Resolves when its end is
 * stored, so that the next message is accepted. Resolves with false when nothing was running.
 * @throws AppError `not_found`; `unavailable` when the end is not stored after `maxMs` milliseconds
 */
export async function stopRun(
  deps: Pick<CompletionDeps, 'database' | 'runs' | 'notifications' | 'now' | 'onEnded'>,
  user: User,
  chatId: string,
  { maxMs = maxStopMs, runId }: StopOptions = {},
): Promise<boolean> {
  const { db, dialect } = deps.database
  const deadline = performance.now() + maxMs
  const isMeant = (run: { readonly id: number }): boolean => runId === undefined || run.id === runId
  // Before the database is asked, which may not respond: the model stops now.
  const own = deps.runs.list().find((run) => run.chatId === chatId && run.userId === user.id && isMeant(run))
  if (own !== undefined) {
    own.abort('stopped')
    await waitAtMost(own.ended, maxMs)
    if (own.recorder.state.status !== 'running') return true
    if (deps.runs.has(own.id))
      throw notEnded(
        'The end of the reply is not stored yet, because the database does not respond. The model writes no more of it.',
      )
  }
  await requireChat(db, user, chatId)
  const run = await findActiveRun(db, dialect, chatId)
  if (run === undefined || !isMeant(run)) return own !== undefined
  await requestStop(db, run.id)
  await dialect.notifyRuns(db, [run.id])
  while (performance.now() < deadline) {
    const current = await findRun(db, dialect, run.id)
    if (current?.status !== 'running') return true
    if (current.expired) await expireRun(deps, run.id)
    else await deps.notifications.wait(run.id, stopPollMs)
  }
  throw notEnded('The server that writes this reply has not stopped it yet.')
}

/** The refusal of a stop whose end is not known to be stored. */
function notEnded(message: string): AppError {
  return new AppError('unavailable', `${message} Try again in a moment.`)
}
