import { repeatUntilStopped } from '../../lib/repeat-until-stopped.ts'
import { deliverAnswers } from '../tools/answer-elicitation.ts'
import { closeDeadRuns } from './expire-runs.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { deleteOldEvents, deleteOldRuns, listStopRequests, renewLeases } from '../log/run-store.ts'
import { stopRequested } from './stop-completion.ts'

/** Milliseconds between two rounds of each duty. Lease, renewal and sweep together close a dead run within 15 s. */
const renewInterval = 3_000
const sweepInterval = 3_000
const stopInterval = 500
const removalInterval = 60_000
/** Milliseconds for which the log of an ended run is kept. */
export const logTime = 600_000
/** Events removed at once, so that no token waits long. */
const removalSlice = 500

/** Everything that is done for runs from time to time; the returned function ends it. */
export function tendRuns(deps: CompletionDeps): () => Promise<void> {
  const { runs, onError } = deps
  const ends = [
    repeatUntilStopped(() => renewRuns(deps), renewInterval, onError),
    repeatUntilStopped(() => closeDeadRuns(deps), sweepInterval, onError),
    repeatUntilStopped(() => removeOldLogs(deps), removalInterval, onError),
    // A wake-up comes sooner where there is one.
    repeatUntilStopped(
      async () => {
        if (runs.size > 0) await hearRequests(deps)
      },
      stopInterval,
      onError,
    ),
  ]
  deps.news.onNews((runId) => {
    if (runs.has(runId)) hearRequests(deps).catch(onError)
  })
  return async () => {
    await Promise.all(ends.map((end) => end()))
  }
}

/** What other nodes were asked of this process's runs: to stop, or to take an answer. */
async function hearRequests(deps: CompletionDeps): Promise<void> {
  stopRequested(deps, await listStopRequests(deps.database.db, deps.nodeId))
  await deliverAnswers(deps)
}

/**
 * Keeps this process's runs for longer, and gives up those that another one has closed. What it has given up already it
 * does not keep: whoever looks next closes it.
 */
export async function renewRuns({
  database,
  nodeId,
  runs,
}: Pick<CompletionDeps, 'database' | 'nodeId' | 'runs'>): Promise<void> {
  if (runs.size === 0) return
  const before = [...runs]
  const runIds = before.map(([runId]) => runId)
  const held = new Set(await renewLeases(database.db, database.dialect, nodeId, runIds))
  for (const [runId, run] of before) {
    // One that ends by itself may be closed in the database a moment before this process hears of its commit.
    if (held.has(runId) || runs.get(runId) !== run || run.recorder.ending) continue
    run.recorder.lose({ code: 'interrupted', message: 'The reply was closed by another server.' })
  }
}

/** Removes the logs of runs that ended long enough ago: their texts are in the messages. */
export async function removeOldLogs({
  database,
  now,
}: Pick<CompletionDeps, 'database' | 'now'>): Promise<void> {
  const before = now() - logTime
  while ((await deleteOldEvents(database.db, before, removalSlice)) === removalSlice) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  await deleteOldRuns(database.db, before)
}
