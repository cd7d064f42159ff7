import { closeDeadRun } from '../maintenance/expire-runs.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { findRun } from './run-store.ts'

/** How a run stands of whose log nothing after an event could be read; one whose node is gone is closed. */
export async function readStanding(
  deps: Pick<CompletionDeps, 'database' | 'runs' | 'now'>,
  runId: number,
  after: number,
): Promise<'ended' | 'gone' | 'waiting' | 'more'> {
  const { db, dialect } = deps.database
  const run = await findRun(db, dialect, runId)
  if (run === undefined) return 'gone'
  if (run.status !== 'running') return after >= run.last_seq ? 'ended' : 'more'
  if (run.expired && !deps.runs.has(runId)) {
    await closeDeadRun(deps, runId)
    return 'more'
  }
  return 'waiting'
}
