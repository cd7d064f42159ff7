import type { Database } from '../db/database.ts'
import { toStorageError } from '../db/storage-problem.ts'
import type { TransferRow } from '../db/tables/tables.ts'
import { findAppError } from '../lib/app-error.ts'
import { repeatUntilStopped } from '../lib/repeat-until-stopped.ts'
import {
  deleteOldTransfers,
  endLease,
  leaseTransfer,
  renewLease,
  type WorkingTransfer,
} from './transfer-store.ts'

/** Another node goes on with the work of one that died after this time. */
const leaseMs = 30_000
/** Between two renewals, which also show how far the work is, and whether it was cancelled. */
const renewalMs = 1_000
/** Between two looks for work that a dead node has left. */
const searchMs = 10_000
/** Transfers that a node works on at once: they must not slow what others do. */
const maxAtOnce = 2
/** The files of transfers are deleted after this time (`removeUnused`), so their rows are. */
export const keptMs = 24 * 3_600_000

/** What a work may do while it runs. */
export interface WorkContext {
  /** Aborted when the transfer was cancelled, or the node ends. */
  readonly signal: AbortSignal
  /** Tells how far the work is. It is shown within a second. */
  setProgress(done: number, total: number | null): void
}

/**
 * The work of a transfer in a state. It may be done again from its beginning, after a node died. It resolves with what is
 * then stored, and rejects with an `AppError` whose message is shown to the user.
 */
export type Work = (
  transfer: WorkingTransfer,
  context: WorkContext,
) => Promise<Pick<TransferRow, 'state'> & Partial<Pick<TransferRow, 'files' | 'report'>>>

export interface TransferRunnerDeps {
  readonly database: Database
  readonly works: {
    readonly export: { readonly running: Work }
    readonly import: { readonly reading: Work; readonly running: Work }
  }
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/** Works on exports and imports, of this node and of those that died. */
export function openTransferRunner(deps: TransferRunnerDeps) {
  const { database, now, onError } = deps
  const ending = new AbortController()
  const working = new Set<Promise<void>>()

  /** Begins with what waits for work. Call it after a transfer has come into a state with work. */
  async function look(): Promise<void> {
    while (working.size < maxAtOnce && !ending.signal.aborted) {
      const transfer = await leaseTransfer(database, leaseMs)
      if (transfer === undefined) return
      const work: Promise<void> = runTransfer(deps, transfer, ending.signal)
        .catch(onError)
        .finally(() => {
          working.delete(work)
          look().catch(onError)
        })
      working.add(work)
    }
  }

  const stopLooking = repeatUntilStopped(
    async () => {
      await deleteOldTransfers(database.db, now() - keptMs)
      await look()
    },
    searchMs,
    onError,
  )
  return {
    look: () => void look().catch(onError),
    /** Ends the work of this node, which another one or the next start goes on with. */
    async close(): Promise<void> {
      ending.abort()
      await stopLooking()
      await Promise.all(working)
    },
  }
}

async function runTransfer(
  { database, works, now, onError }: TransferRunnerDeps,
  transfer: WorkingTransfer,
  ending: AbortSignal,
): Promise<void> {
  let lease = transfer
  const progress = { done: transfer.done, total: transfer.total }
  const cancelled = new AbortController()
  const signal = AbortSignal.any([ending, cancelled.signal])
  async function renew(): Promise<void> {
    const lease_until = await renewLease(database, lease, { leaseMs, ...progress })
    if (lease_until === undefined) cancelled.abort()
    else lease = { ...lease, lease_until }
  }
  // A renewal that fails is tried again long before the lease ends.
  const stopRenewing = repeatUntilStopped(renew, renewalMs, () => undefined)
  const change = await workOf(works, transfer)(transfer, {
    signal,
    setProgress: (done, total) => Object.assign(progress, { done, total }),
  })
    .then((result) => ({ ...result, ended_at: result.state === 'ready' ? null : now() }))
    .catch((error: unknown) => {
      // The work goes on elsewhere, or nobody waits for it.
      if (signal.aborted) return {}
      const known = findAppError(error) ?? toStorageError(error)
      if (known === null) onError(error)
      return { state: 'failed', error: known?.message ?? unknownFailure, ended_at: now() } as const
    })
  await stopRenewing()
  await endLease(database.db, lease, { ...progress, ...change })
}

const unknownFailure = 'It failed for a reason that the operator can find in the log of the server.'

function workOf(works: TransferRunnerDeps['works'], { kind, state }: WorkingTransfer): Work {
  return kind === 'export' ? works.export.running : works.import[state]
}
