import type { ErrorDetail } from '@yonder/contract/error'
import type { ActiveRunReader } from '../../chats/present-chat.ts'
import { sseFrame, type SseStream } from '../../http/sse.ts'
import { onAbort } from '../../lib/abort.ts'
import { AppError } from '../../lib/app-error.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { expireRun, foldLog } from '../maintenance/end-run.ts'
import type { RunCursor } from '../run.ts'
import { EventBatch, type RunRecorder } from './run-recorder.ts'
import { findActiveRun, findRun, listEvents } from './run-store.ts'

/** Events of one query, so that a large backlog is sent in batches, at the reader's pace. */
const maxBatchEvents = 32
/** Milliseconds without a notification after which the log of another process's run is read again. */
const pollIntervalMs = 400

export interface FollowOptions extends RunCursor {
  /** Whether each event gets an `id:` line with its number. */
  readonly numbered: boolean
}

/** Sends the events of a run until its end. Resolves when the stream has ended; never rejects. */
export async function followRun(
  deps: Pick<CompletionDeps, 'database' | 'runs' | 'notifications' | 'now' | 'onError'>,
  stream: SseStream,
  { runId, after, numbered }: FollowOptions,
): Promise<void> {
  const closed = new AbortController()
  stream.onClose(() => closed.abort())
  try {
    for await (const batch of readRunEvents(deps, { runId, after }, closed.signal)) {
      const frames = batch.frames(numbered)
      if (batch.isEnd) return stream.end(frames)
      stream.write(frames)
      if (batch.isStored && !(await stream.drained())) return
    }
    stream.end()
  } catch (error) {
    // The response is a stream with status 200 by now, so the error can only be sent as an event.
    stream.end(sseFrame(JSON.stringify({ error: toDetail(error, deps.onError) })))
  }
}

function toDetail(error: unknown, onError: CompletionDeps['onError']): ErrorDetail {
  if (error instanceof AppError) return { code: error.code, message: error.message }
  onError(error)
  return { code: 'unavailable', message: 'The reply cannot be followed live at the moment. Reload the page.' }
}

/**
 * Reads the events of a run from a cursor to the end of the run, without gaps or duplicates: first the backlog from the
 * database, then each commit as it happens (from memory for a run of this process, else from the log). The last batch
 * has `isEnd`; if none has, the log was removed or `signal` was aborted.
 * @throws AppError when another node has taken over the run, or storing it failed (`RunRecorder.lose`)
 */
export async function* readRunEvents(
  deps: Pick<CompletionDeps, 'database' | 'runs' | 'notifications' | 'now'>,
  { runId, after }: RunCursor,
  signal: AbortSignal,
): AsyncGenerator<EventBatch, void> {
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
      const batch = EventBatch.ofStored(rows)
      yield batch
      if (batch.isEnd) return
      seen = last.seq
      isRetry = false
      continue
    }
    switch (await readRunStatus(deps, { runId, after: seen })) {
      case 'ended':
        yield EventBatch.emptyEnd
        return
      case 'missing':
        return
      case 'has_more':
        // The run has ended since its events were read, so its last events are read now. If there are none, the log
        // was removed.
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
): AsyncGenerator<EventBatch, void> {
  const batches: EventBatch[] = []
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

/**
 * Returns the status of a run whose log had no events after `after`: it ended there, it has more events by now, it is
 * still running, or it is no longer stored. A run whose node died is ended first.
 */
async function readRunStatus(
  deps: Pick<CompletionDeps, 'database' | 'runs' | 'now'>,
  { runId, after }: { readonly runId: number; readonly after: number },
): Promise<'ended' | 'has_more' | 'waiting' | 'missing'> {
  const { db, dialect } = deps.database
  const run = await findRun(db, dialect, runId)
  if (run === undefined) return 'missing'
  if (run.status !== 'running') return after >= run.last_seq ? 'ended' : 'has_more'
  if (run.expired && !deps.runs.has(runId)) {
    await expireRun(deps, runId)
    return 'has_more'
  }
  return 'waiting'
}

/** Reads active runs up to their last committed event. */
export function createRunReader(deps: Pick<CompletionDeps, 'database' | 'runs' | 'now'>): ActiveRunReader {
  return {
    async read({ db, dialect }, chatId, fits) {
      const run = await findActiveRun(db, dialect, chatId)
      if (run === undefined) return undefined
      const recorder = deps.runs.get(run.id)?.recorder
      if (recorder === undefined && run.expired) return 'expired'
      // What is in memory is cheaper than the log, but may be of another moment.
      const state =
        recorder !== undefined && fits(recorder.state.messages) ? recorder.state : await foldLog(db, run.id)
      return { run: { message_id: run.message_id, seq: state.seq }, messages: state.messages }
    },
    async expire(chatId) {
      const run = await findActiveRun(deps.database.db, deps.database.dialect, chatId)
      if (run?.expired === true) await expireRun(deps, run.id)
    },
  }
}
