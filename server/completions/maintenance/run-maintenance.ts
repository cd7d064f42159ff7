import { AppError } from '../../lib/app-error.ts'
import { repeatUntilStopped } from '../../lib/repeat-until-stopped.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import {
  deleteOldEvents,
  deleteOldRuns,
  listExpiredRuns,
  listStopRequests,
  renewLeases,
} from '../log/run-store.ts'
import { deliverElicitationAnswers } from '../tools/elicitations.ts'
import { expireRun } from './end-run.ts'

/**
 * Milliseconds between two turns of each task. Lease, renewal and expiry together end a dead run within 15 s
 * (§10.17).
 */
const renewIntervalMs = 3_000
export const expireIntervalMs = 3_000
const requestIntervalMs = 500
const removalIntervalMs = 60_000
/** Milliseconds for which the log of an ended run is kept (§16.15). */
export const logRetentionMs = 600_000
/** Events removed at once, so that no token waits long. */
const maxRemovedEvents = 500

/** Starts all recurring work on runs. The returned function ends it. */
export function startRunMaintenance(
  deps: Pick<CompletionDeps, 'database' | 'nodeId' | 'runs' | 'notifications' | 'now' | 'onError'>,
): () => Promise<void> {
  const { runs, onError } = deps
  const ends = [
    repeatUntilStopped(() => renewRuns(deps), renewIntervalMs, onError),
    repeatUntilStopped(() => expireRuns(deps), expireIntervalMs, onError),
    repeatUntilStopped(() => removeOldLogs(deps), removalIntervalMs, onError),
    // Also without a notification, which may be lost.
    repeatUntilStopped(
      async () => {
        if (runs.size > 0) await readRequests(deps)
      },
      requestIntervalMs,
      onError,
    ),
  ]
  deps.notifications.onRun((runId) => {
    if (runs.has(runId)) readRequests(deps).catch(onError)
  })
  return async () => {
    await Promise.all(ends.map((end) => end()))
  }
}

/** Does what other nodes were asked of the runs of this process: stops them, delivers answers to their tools. */
async function readRequests(deps: Pick<CompletionDeps, 'database' | 'nodeId' | 'runs'>): Promise<void> {
  for (const runId of await listStopRequests(deps.database.db, deps.nodeId)) {
    deps.runs.get(runId)?.abort('stopped')
  }
  await deliverElicitationAnswers(deps)
}

/**
 * Renews the leases of this process's runs, and gives up those that another node has ended. A run that this process has
 * given up already is not renewed, so that another node ends it.
 */
export async function renewRuns({
  database,
  nodeId,
  runs,
}: Pick<CompletionDeps, 'database' | 'nodeId' | 'runs'>): Promise<void> {
  const before = runs.list()
  if (before.length === 0) return
  const runIds = before.map(({ id }) => id)
  const held = new Set(await renewLeases(database.db, database.dialect, nodeId, runIds))
  for (const { id, recorder } of before) {
    // The end of a run is in the database a moment before this process has the result of its commit.
    if (held.has(id) || !runs.has(id) || recorder.isEnding) continue
    recorder.lose(new AppError('interrupted', 'The reply was closed by another server.'))
  }
}

/** Ends every run whose node no longer renews its lease. */
async function expireRuns(deps: Pick<CompletionDeps, 'database' | 'runs' | 'now'>): Promise<void> {
  const { db, dialect } = deps.database
  for (const runId of await listExpiredRuns(db, dialect)) await expireRun(deps, runId)
}

/** Removes the logs of runs that ended long enough ago: their texts are in the messages. */
export async function removeOldLogs({
  database,
  now,
}: Pick<CompletionDeps, 'database' | 'now'>): Promise<void> {
  const before = now() - logRetentionMs
  while ((await deleteOldEvents(database.db, before, maxRemovedEvents)) === maxRemovedEvents) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  await deleteOldRuns(database.db, before)
}
