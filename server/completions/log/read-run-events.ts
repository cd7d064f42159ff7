import { onAbort } from '../../lib/abort.ts'
import type { AppError } from '../../lib/app-error.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { RunBatch } from './run-batch.ts'
import type { RunRecorder } from './run-recorder.ts'
import { readRunStatus } from './run-status.ts'
import { listEvents } from './run-store.ts'

/** Events read from the database at once, so that a large backlog is sent in batches, at the reader's pace. */
const maxBatchEvents = 32
/** Milliseconds without a notification after which the log of another process's run is read again. */
const pollIntervalMs = 400

/** A position in the log of a run. */
export interface RunCursor {
  readonly runId: number
  /** The number of the last event before this position; 0 for the beginning. */
  readonly after: number
}

/**
 * Reads the events of a run from a cursor to the end of the run, without gaps or duplicates: first the backlog from the
 * database, then each commit as it happens (from memory for a run of this process, else from the log). The last batch
 * has `isEnd`; if none has, the log was removed or `signal` was aborted (§10.9).
 * @throws AppError when this process has lost the run (`RunRecorder.lose`)
 */
export async function* readRunEvents(
  deps: Pick<CompletionDeps, 'database' | 'runs' | 'notifications' | 'now'>,
  { runId, after }: RunCursor,
  signal: AbortSignal,
): AsyncGenerator<RunBatch, void> {
  const { db } = deps.database
  let seen = after
  let isRetry = false
  while (!signal.aborted) {
    const recorder = deps.runs.get(runId)?.recorder
    if (recorder?.isRunning === true && seen >= recorder.state.seq) {
      return yield* readCommits(recorder, seen, signal)
    }
    const rows = await listEvents(db, runId, seen, maxBatchEvents)
    const last = rows.at(-1)
    if (last !== undefined) {
      const batch = RunBatch.ofStored(rows)
      yield batch
      if (batch.isEnd) return
      seen = last.seq
      isRetry = false
      continue
    }
    switch (await readRunStatus(deps, { runId, after: seen })) {
      case 'ended':
        yield RunBatch.ofEnd
        return
      case 'missing':
        return
      case 'has_more':
        // The run ended between the two reads, so another read finds its last events. If it does not, the log was
        // removed.
        if (isRetry) return
        isRetry = true
        break
      case 'waiting':
        isRetry = false
        await deps.notifications.wait(runId, pollIntervalMs)
        break
    }
  }
}

/** Reads a run of this process from memory, commit by commit. */
async function* readCommits(
  recorder: RunRecorder,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<RunBatch, void> {
  const batches: RunBatch[] = []
  let lost: AppError | undefined
  let wake = (): void => undefined
  const unsubscribe = recorder.subscribe({
    onBatch(batch) {
      batches.push(batch)
      wake()
    },
    onLost(error) {
      lost = error
      wake()
    },
  })
  const removeAbort = onAbort(signal, () => wake())
  try {
    while (!signal.aborted) {
      const batch = batches.shift()
      if (batch !== undefined) {
        yield batch.after(after)
        if (batch.isEnd) return
      } else if (lost !== undefined) {
        throw lost
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    }
  } finally {
    unsubscribe()
    removeAbort()
  }
}
