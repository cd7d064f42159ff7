import { applyEvent, emptyRun } from '@yonder/contract/apply-event'
import type { RunState } from '@yonder/contract/apply-event'
import type { RunEvent } from '@yonder/contract/completion'
import type { Db } from '../db/database.ts'
import { closeRun } from './close-run.ts'
import type { CompletionDeps } from './completion-deps.ts'
import { findRun, insertEvent, listEvents, listExpiredRuns } from './run-store.ts'

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
    const state = await foldLog(trx, runId)
    const ended: RunEvent = { type: 'ended', seq: state.seq + 1, status: 'interrupted' }
    await insertEvent(trx, { run_id: runId, seq: ended.seq, event: JSON.stringify(ended) })
    await closeRun(trx, run, applyEvent(state, ended), now())
    await dialect.wake(trx, [runId])
  })
}

/** A run as the committed part of its log tells it. */
export async function foldLog(db: Db, runId: number): Promise<RunState> {
  const rows = await listEvents(db, runId, 0)
  // The log holds what this server wrote.
  return rows.reduce((state, { event }) => applyEvent(state, JSON.parse(event) as RunEvent), emptyRun)
}
