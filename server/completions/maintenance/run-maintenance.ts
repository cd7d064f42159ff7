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
import { expireCalls, type ExpiryDeps } from './expire-calls.ts'

/**
 * Milliseconds between two executions of each task. Together with `leaseMs`, a run of a dead node ends within 15 s.
 */
const renewIntervalMs = 3_000
export const expireIntervalMs = 3_000
const requestIntervalMs = 500
const removalIntervalMs = 60_000
const callExpiryIntervalMs = 60_000
/** Milliseconds for which the log of an ended run is stored. */
export const logRetentionMs = 600_000
/** Events that one statement removes. More would delay the commits of new tokens. */
const maxRemovedEvents = 500

/** Starts all recurring work on runs. Returns a function that stops it. */
export function startRunMaintenance(
  deps: ExpiryDeps &
    Pick<CompletionDeps, 'database' | 'nodeId' | 'runs' | 'notifications' | 'now' | 'onEnded' | 'onError'>,
): () => Promise<void> {
  const { runs, onError } = deps
  const ends = [
    repeatUntilStopped(() => renewRuns(deps), renewIntervalMs, onError),
    repeatUntilStopped(() => expireRuns(deps), expireIntervalMs, onError),
    repeatUntilStopped(() => removeOldLogs(deps), removalIntervalMs, onError),
    repeatUntilStopped(() => expireCalls(deps), callExpiryIntervalMs, onError),
    // Polls in addition, because a notification may be lost.
    repeatUntilStopped(
      async () => {
        if (runs.size > 0) await handleRequests(deps)
      },
      requestIntervalMs,
      onError,
    ),
  ]
  deps.notifications.onRun((runId) => {
    if (runs.has(runId)) handleRequests(deps).catch(onError)
  })
  return async () => {
    await Promise.all(ends.map((end) => end()))
  }
}

/**
 * Handles what is stored for runs of this process: stop requests, disabled users, deleted chats, and answers to
 * elicitations.
 */
export async function handleRequests(
  deps: Pick<CompletionDeps, 'database' | 'nodeId' | 'runs'>,
): Promise<void> {
  for (const runId of await listStopRequests(deps.database.db, deps.nodeId)) {
    deps.runs.get(runId)?.abort('stopped')
  }
  await deliverElicitationAnswers(deps)
}

/**
 * Renews the leases of the runs of this process, and marks runs that another node has ended as lost. A run that is no
 * longer active in this process is not renewed, so that it expires.
 */
export async function renewRuns({
  database,
  nodeId,
  runs,
}: Pick<CompletionDeps, 'database' | 'nodeId' | 'runs'>): Promise<void> {
  const before = runs.list()
  if (before.length === 0) return
  const runIds = before.map(({ id }) => id)
  // In a transaction, because a silent connection is replaced sooner at its beginning, and leases are short.
  const renewed = await database.db
    .transaction()
    .execute((trx) => renewLeases(trx, database.dialect, nodeId, runIds))
  const renewedIds = new Set(renewed)
  for (const { id, recorder } of before) {
    // A run that is ending may have ended in the database, while the result of that commit has not arrived yet.
    if (renewedIds.has(id) || !runs.has(id) || recorder.isEnding) continue
    recorder.lose(new AppError('interrupted', 'Another server has ended this reply. Reload the page.'))
  }
}

/** Ends runs whose node no longer renews its lease; those above the limit of `listExpiredRuns` are ended next time. */
async function expireRuns(
  deps: Pick<CompletionDeps, 'database' | 'runs' | 'now' | 'onEnded'>,
): Promise<void> {
  const { db, dialect } = deps.database
  for (const runId of await listExpiredRuns(db, dialect)) await expireRun(deps, runId)
}

/** Removes runs that ended more than `logRetentionMs` ago, with their logs; their texts are stored in the messages. */
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
