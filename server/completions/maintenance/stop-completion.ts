import type { CompletionDeps } from '../completion-deps.ts'
import { closeDeadRun } from './expire-runs.ts'
import { findActiveRun, findRun, requestStop } from '../log/run-store.ts'

/** Milliseconds to wait for another node to stop its run, and between two looks. */
const longestWait = 10_000
const lookTime = 200

/**
 * Stops the run that writes into a chat, on whichever node it is; what it has said is kept. Resolves when its end is
 * stored, so that the next message is accepted; false when nothing was running.
 */
export async function stopCompletion(deps: CompletionDeps, chatId: string): Promise<boolean> {
  const { db, dialect } = deps.database
  const run = await findActiveRun(db, dialect, chatId)
  if (run === undefined) return false
  const active = deps.runs.get(run.id)
  if (active !== undefined) {
    active.abort('stopped')
    await active.ended
    return true
  }
  await requestStop(db, run.id)
  await dialect.notifyRuns(db, [run.id])
  for (let waited = 0; waited < longestWait; waited += lookTime) {
    const standing = await findRun(db, dialect, run.id)
    if (standing?.status !== 'running') return true
    if (standing.expired) await closeDeadRun(deps, run.id)
    else await deps.news.wait(run.id, lookTime)
  }
  return true
}

/** Stops those runs of this process that another node was asked to stop. */
export function stopRequested({ runs }: Pick<CompletionDeps, 'runs'>, runIds: readonly number[]): void {
  for (const runId of runIds) runs.get(runId)?.abort('stopped')
}
