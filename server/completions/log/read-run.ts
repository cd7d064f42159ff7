import type { ErrorDetail } from '@yonder/contract/error'
import type { ActiveRunReader } from '../../chats/present-chat.ts'
import { sseFrame, type SseStream } from '../../http/sse.ts'
import { AppError } from '../../lib/app-error.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { expireRun, foldLog } from '../maintenance/end-run.ts'
import type { RunCursor } from '../run.ts'
import { EventBatch, type RunSubscriber } from './run-recorder.ts'
import { findActiveRun, findRun, listEvents } from './run-store.ts'

/** Events of one query, so that a large backlog is sent in batches, at the reader's pace. */
const maxBatchEvents = 32
/** Milliseconds without a notification after which the log of another process's run is read again. */
const pollIntervalMs = 400

export interface FollowOptions extends RunCursor {
  /** Whether each event gets an `id:` line with its number. */
  readonly numbered: boolean
}

type FollowDeps = Pick<CompletionDeps, 'database' | 'runs' | 'notifications' | 'now' | 'onEnded' | 'onError'>

/** Sends the events of a run until its end, and then ends the stream. Returns at once. */
export function followRun(deps: FollowDeps, stream: SseStream, { numbered, ...cursor }: FollowOptions): void {
  const stop = readRun(deps, cursor, {
    onBatch(batch) {
      const frames = batch.frames(numbered)
      if (batch.isEnd) stream.end(frames)
      else stream.write(frames)
    },
    drained: () => stream.drained(),
    // The response is a stream with status 200 by now, so an error can only be sent as an event.
    onEnd: (error) => stream.end(error && sseFrame(JSON.stringify({ error: toDetail(error, deps.onError) }))),
  })
  stream.onClose(stop)
}

function toDetail(error: unknown, onError: CompletionDeps['onError']): ErrorDetail {
  if (error instanceof AppError) return { code: error.code, message: error.message }
  onError(error)
  return { code: 'unavailable', message: 'The reply cannot be followed live at the moment. Reload the page.' }
}

/** Receives the events of a run. Nothing is called after an end. */
export interface RunReader {
  /** The batch that ends the run has `isEnd`, and nothing is called after it. */
  onBatch(batch: EventBatch): void
  /** Resolves when the next batch from the database may follow; with false when none may. By default at once. */
  readonly drained?: () => Promise<boolean>
  /**
   * Called when no batch follows although the run has not ended: its log was removed, or with an error. An `AppError`
   * says that another node has taken over the run, or that storing it failed (`RunRecorder.lose`).
   */
  onEnd(error?: Error): void
}

type ReadDeps = Pick<CompletionDeps, 'database' | 'runs' | 'notifications' | 'now' | 'onEnded'>

/**
 * Reads the events of a run from a cursor to the end of the run, without gaps or duplicates: first the backlog from the
 * database, then each commit as it happens (from memory for a run of this process, else from the log). Returns a
 * function that stops the reading, after which nothing is called.
 */
export function readRun(deps: ReadDeps, cursor: RunCursor, reader: RunReader): () => void {
  const reading = new RunReading(deps, cursor, reader)
  reading.start()
  return () => reading.stop()
}

/** One reading of a run. A thousand of them may wait, so it is no loop that awaits each commit. */
class RunReading implements RunSubscriber {
  readonly #deps: ReadDeps
  readonly #runId: number
  readonly #reader: RunReader
  /** The last event that was passed on from the log. */
  #seen: number
  #isStopped = false
  #unsubscribe: (() => void) | undefined

  constructor(deps: ReadDeps, { runId, after }: RunCursor, reader: RunReader) {
    this.#deps = deps
    this.#runId = runId
    this.#seen = after
    this.#reader = reader
  }

  start(): void {
    if (!this.#readMemory()) this.#readLog().catch((error: unknown) => this.#end(toError(error)))
  }

  stop(): void {
    this.#isStopped = true
    this.#unsubscribe?.()
  }

  onBatch(batch: EventBatch): void {
    try {
      this.#reader.onBatch(batch.after(this.#seen))
      if (batch.isEnd) this.stop()
    } catch (error) {
      // The commit belongs to other runs too.
      this.#end(toError(error))
    }
  }

  onLost(error: AppError): void {
    this.#end(error)
  }

  #end(error?: Error): void {
    if (this.#isStopped) return
    this.stop()
    this.#reader.onEnd(error)
  }

  /** Passes on later commits from memory, if this process writes the run and all that it has committed was read. */
  #readMemory(): boolean {
    const recorder = this.#deps.runs.get(this.#runId)?.recorder
    if (recorder?.isRunning !== true || this.#seen < recorder.state.seq) return false
    this.#unsubscribe = recorder.subscribe(this)
    return true
  }

  async #readLog(): Promise<void> {
    const { database, notifications } = this.#deps
    let isRetry = false
    while (!this.#isStopped && !this.#readMemory()) {
      const rows = await listEvents(database.db, this.#runId, this.#seen, maxBatchEvents)
      if (this.#isStopped) return
      const last = rows.at(-1)
      if (last !== undefined) {
        const batch = EventBatch.ofStored(rows)
        this.#reader.onBatch(batch)
        if (batch.isEnd || (await this.#reader.drained?.()) === false) return this.stop()
        this.#seen = last.seq
        isRetry = false
        continue
      }
      switch (await readRunStatus(this.#deps, { runId: this.#runId, after: this.#seen })) {
        case 'ended':
          if (!this.#isStopped) this.#reader.onBatch(EventBatch.emptyEnd)
          return this.stop()
        case 'missing':
          return this.#end()
        case 'has_more':
          // The run has ended since its events were read, so its last events are read now. If there are none, the log
          // was removed.
          if (isRetry) return this.#end()
          isRetry = true
          break
        case 'waiting':
          isRetry = false
          await notifications.wait(this.#runId, pollIntervalMs)
          break
      }
    }
  }
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/**
 * Returns the status of a run whose log had no events after `after`: it ended there, it has more events by now, it is
 * still running, or it is no longer stored. A run whose node died is ended first.
 */
async function readRunStatus(
  deps: ReadDeps,
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
export function createRunReader(
  deps: Pick<CompletionDeps, 'database' | 'runs' | 'now' | 'onEnded'>,
): ActiveRunReader {
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
