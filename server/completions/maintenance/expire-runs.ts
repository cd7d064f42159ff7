import { applyEvent, emptyRun } from '@yonder/contract/apply-event'
import type { RunState } from '@yonder/contract/apply-event'
import type { RunEvent } from '@yonder/contract/completion'
import { findLatestTime } from '../../chats/message-store.ts'
import type { Db } from '../../db/database.ts'
import { closeRun } from './close-run.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { cutOff } from '../tools/run-call.ts'
import { findRun, insertEvent, listEvents, listExpiredRuns } from '../log/run-store.ts'
import { storeResult, writeResult } from '../tools/write-result.ts'
import type { WrittenResult } from '../tools/write-result.ts'

type Deps = Pick<CompletionDeps, 'database' | 'runs' | 'now'>

/** Closes every run whose node no longer renews it. */
export async function closeDeadRuns(deps: Deps): Promise<void> {
  const { db, dialect } = deps.database
  for (const runId of await listExpiredRuns(db, dialect)) await closeDeadRun(deps, runId)
}

/** Closes a run whose node no longer renews it as interrupted, with the text that was shown. Does nothing to others. */
export async function closeDeadRun({ database, runs, now }: Deps, runId: number): Promise<void> {
  // Of its own runs a process knows better than a clock that they live, e.g. after a laptop slept.
  if (runs.has(runId)) return
  const { db, dialect } = database
  await db.transaction().execute(async (trx) => {
    await dialect.lockRun(trx, runId)
    const run = await findRun(trx, dialect, runId)
    if (run === undefined || run.status !== 'running' || !run.expired) return
    let state = await foldLog(trx, runId)
    const tell = async (event: RunEvent): Promise<void> => {
      await insertEvent(trx, { run_id: runId, seq: event.seq, event: JSON.stringify(event) })
      state = applyEvent(state, event)
    }
    const result = await cutOffCall(trx, run.chat_id, state, now())
    if (result !== undefined) {
      const { message } = result
      const { content } = message
      await tell({ type: 'tool_result', seq: state.seq + 1, role: 'user', content, message })
      await storeResult(trx, run.chat_id, result)
    }
    await tell({ type: 'ended', seq: state.seq + 1, status: 'interrupted' })
    await closeRun(trx, run, state, now())
    await dialect.notifyRuns(trx, [runId])
  })
}

/** The result of a call that was under way: nobody knows whether it did its work, so it is never made again. */
async function cutOffCall(
  trx: Db,
  chatId: string,
  { messages }: RunState,
  now: number,
): Promise<WrittenResult | undefined> {
  const last = messages.at(-1)
  if (last?.call?.state !== 'running') return undefined
  const { id, server = '', tool = '' } = last
  const time = Math.max(now, (await findLatestTime(trx, chatId)) + 1)
  const outcome = { ...cutOff(), duration: null }
  return writeResult({ replyId: id, connectorName: server, toolName: tool }, outcome, time)
}

/** A run as the committed part of its log tells it. */
export async function foldLog(db: Db, runId: number): Promise<RunState> {
  const rows = await listEvents(db, runId, 0)
  // The log holds what this server wrote.
  return rows.reduce((state, { event }) => applyEvent(state, JSON.parse(event) as RunEvent), emptyRun)
}
