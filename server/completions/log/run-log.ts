import { applyEvent, emptyRun, type RunState } from '@yonder/contract/apply-event'
import type { RunEvent, UnnumberedEvent } from '@yonder/contract/completion'
import { textOfContent } from '@yonder/contract/message-text'
import type { Db } from '../../db/database.ts'
import type { RunEventRow } from '../../db/tables/tables.ts'
import { AppError } from '../../lib/app-error.ts'
import { flattenAt } from '../../lib/flatten-text.ts'
import type { NumberedEvent, WrittenRun } from '../run.ts'
import { EventBatch, RunRecorder, type CollectedEvents } from './run-recorder.ts'

/** Milliseconds from the start of one commit to the next: the limits, and the part for each run that streams. */
const minMergeIntervalMs = 30
const maxMergeIntervalMs = 55
const mergeMsPerRun = 2
/** The interval is at least this many times as long as the last commit took, within the limits. */
const intervalFactor = 5
/** Milliseconds after which a failed commit is retried. */
const retryDelayMs = 250
/**
 * Milliseconds of failing commits after which a run is given up: when the database refuses its events, and when the
 * database cannot be used at the moment (`isOutage`).
 */
const maxRefusedMs = 8_000
const maxOutageMs = 300_000

export interface RunLogOptions {
  /**
   * Writes events and returns the ids of the runs that this node still owns. Outside a transaction, this is one commit.
   */
  readonly append: (db: Db, events: readonly RunEventRow[]) => Promise<ReadonlySet<number>>
  /** Whether exactly this event is stored, also by a transaction that has not ended before the call. */
  readonly isStored: (db: Db, event: RunEventRow) => Promise<boolean>
  /** Whether a commit failed because the database cannot be used at the moment. */
  readonly isOutage: (error: unknown) => boolean
  readonly db: Db
  readonly transaction: (work: (trx: Db) => Promise<void>) => Promise<void>
  /** Called with the error of a failed commit. The commit may be retried. */
  readonly onError: (error: unknown) => void
}

/** The part of a commit that belongs to one run. */
interface Entry {
  readonly recorder: RunRecorder
  readonly batch: EventBatch
  readonly state: RunState
  readonly writes: CollectedEvents['writes']
}

/** One commit: how many runs had events in it, and the milliseconds that it took. */
interface CommitLoad {
  readonly runs: number
  readonly commitMs: number
}

/**
 * Returns the milliseconds from the start of this commit to the next: fewer for few runs, so that their text arrives
 * sooner, and more for many, which share the cost of a commit: it is nearly the same for one run as for ten.
 */
export function mergeInterval({ runs, commitMs }: CommitLoad): number {
  const neededMs = Math.max(runs * mergeMsPerRun, commitMs * intervalFactor)
  return Math.min(Math.max(neededMs, minMergeIntervalMs), maxMergeIntervalMs)
}

/**
 * Numbers the events of all runs of this process, commits them together at intervals (`mergeInterval`), and then passes
 * them to their readers. So the database contains everything that a user has seen. The first text and the first
 * reasoning of a reply, the end of a run and what is flushed are committed without this delay. Such a commit includes
 * the events of other runs only if they are due, so that they are not committed more often.
 * One commit is under way at a time; events that arrive meanwhile go into a later one.
 */
export class RunLog {
  readonly #options: RunLogOptions
  /** The runs with events to commit, except for those in `#failed`. */
  readonly #dirty = new Set<RunRecorder>()
  /** The dirty runs that do not wait for the next commit of all runs. */
  readonly #urgent = new Set<RunRecorder>()
  /** The parts of failed commits, which are retried unchanged before anything else of their runs. */
  readonly #failed = new Map<RunRecorder, Entry>()
  #retryTimer: NodeJS.Timeout | undefined
  #isRetryDue = false
  #timer: NodeJS.Timeout | undefined
  #immediate: NodeJS.Immediate | undefined
  #flushing: Promise<void> | undefined
  /** When the next commit of all runs is due, on the clock of `performance`. */
  #dueAt = -Infinity

  constructor(options: RunLogOptions) {
    this.#options = options
  }

  /** Opens the recorder of a run whose first event is committed. */
  open({ id, chatId, started }: Pick<WrittenRun, 'id' | 'chatId' | 'started'>): RunRecorder {
    return new RunRecorder({ id, chatId }, applyEvent(emptyRun, started), (recorder, urgency) => {
      // New events wait until the failed part is stored.
      if (this.#failed.has(recorder)) return
      // A commit that other runs wait for is not delayed.
      if (urgency === 'low' && this.#dirty.size === 0)
        this.#dueAt = Math.max(this.#dueAt, performance.now() + minMergeIntervalMs)
      this.#dirty.add(recorder)
      if (urgency === 'immediate') this.#urgent.add(recorder)
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#flushing !== undefined || this.#immediate !== undefined) return
    const isUrgent = this.#urgent.size > 0 || this.#isRetryDue
    const delayMs = isUrgent ? 0 : this.#dueAt - performance.now()
    if (delayMs > 0) this.#timer ??= setTimeout(() => this.#start(), delayMs)
    // Deferred until the pending input is processed, so that the first tokens of many runs share one commit.
    else this.#immediate = setImmediate(() => this.#start())
  }

  #start(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#immediate = undefined
    this.#flushing = this.#flush().finally(() => {
      this.#flushing = undefined
      if (this.#isRetryDue || this.#dirty.size > 0) this.#schedule()
    })
  }

  async #flush(): Promise<void> {
    const startedAt = performance.now()
    if (this.#isRetryDue) {
      this.#isRetryDue = false
      await this.#store([...this.#failed.values()], { isRetry: true })
    }
    const isDue = this.#urgent.size === 0 || startedAt >= this.#dueAt
    const entries = this.#collect(isDue ? this.#dirty : this.#urgent)
    await this.#store(entries)
    if (!isDue) return
    const commitMs = performance.now() - startedAt
    this.#dueAt = startedAt + mergeInterval({ runs: entries.length, commitMs })
  }

  async #store(entries: readonly Entry[], { isRetry = false } = {}): Promise<void> {
    if (entries.length === 0) return
    try {
      await this.#commit(entries, { isRetry })
    } catch (error) {
      this.#options.onError(error)
      if (this.#options.isOutage(error)) {
        for (const entry of entries) this.#retryLater(entry, error)
        return
      }
      // Commits each run separately, so that a run that cannot be stored does not block the others.
      for (const entry of entries)
        await this.#commit([entry], { isRetry: true }).catch((cause: unknown) => {
          // The failure of the common commit is already reported, so this one is reported only if the run is given up.
          if (!this.#retryLater(entry, cause)) this.#options.onError(cause)
        })
    }
  }

  #collect(recorders: ReadonlySet<RunRecorder>): Entry[] {
    const collected = [...recorders]
    for (const recorder of collected) this.#setClean(recorder)
    return collected.flatMap((recorder) => toEntry(recorder) ?? [])
  }

  #setClean(recorder: RunRecorder): void {
    this.#dirty.delete(recorder)
    this.#urgent.delete(recorder)
  }

  async #commit(entries: readonly Entry[], { isRetry }: { readonly isRetry: boolean }): Promise<void> {
    const rows = entries.flatMap(toRows)
    let ownedRunIds: ReadonlySet<number> = new Set()
    if (isRetry || entries.some(({ writes }) => writes.length > 0)) {
      await this.#options.transaction(async (trx) => {
        const stored = isRetry ? await this.#listStored(trx, entries) : new Set<number>()
        const missing = stored.size === 0 ? rows : rows.filter(({ run_id }) => !stored.has(run_id))
        const live = missing.length === 0 ? [] : await this.#options.append(trx, missing)
        ownedRunIds = new Set([...stored, ...live])
        // The writes lock chats, and so does a change of many chats: both in this order, so that they do not deadlock.
        for (const { recorder, writes, state } of entries.toSorted(byChat)) {
          if (stored.has(recorder.runId) || !ownedRunIds.has(recorder.runId)) continue
          for (const write of writes) await write(trx, state)
        }
      })
    } else {
      ownedRunIds = await this.#options.append(this.#options.db, rows)
    }
    for (const { recorder, batch, state } of entries) {
      // The events that the run has added since its commit failed are collected next.
      if (this.#failed.delete(recorder)) this.#dirty.add(recorder)
      if (ownedRunIds.has(recorder.runId)) recorder.publish(batch, state)
      else recorder.lose(new AppError('interrupted', 'Another server has ended this reply. Reload the page.'))
    }
  }

  /**
   * Returns the runs whose failed commit has succeeded after all: the connection was lost after the database had
   * committed. Their writes must not be executed a second time.
   */
  async #listStored(trx: Db, entries: readonly Entry[]): Promise<ReadonlySet<number>> {
    const stored = new Set<number>()
    // In the order in which every statement locks runs.
    for (const entry of entries.toSorted((a, b) => a.recorder.runId - b.recorder.runId)) {
      const last = toRows(entry).at(-1)
      if (last !== undefined && (await this.#options.isStored(trx, last))) stored.add(last.run_id)
    }
    return stored
  }

  /** Returns false when the run is given up. */
  #retryLater(entry: Entry, cause: unknown): boolean {
    const { recorder } = entry
    const now = Date.now()
    recorder.failingSince ??= now
    if (now - recorder.failingSince > (this.#options.isOutage(cause) ? maxOutageMs : maxRefusedMs)) {
      this.#failed.delete(recorder)
      recorder.lose(
        new AppError(
          'storage_full',
          'The server could not store this reply, so it was ended. Regenerate it later.',
          {
            cause,
          },
        ),
      )
      return false
    }
    this.#failed.set(recorder, entry)
    // What was added during the commit must not take the numbers of the failed events.
    this.#setClean(recorder)
    if (this.#retryTimer === undefined) {
      this.#retryTimer = setTimeout(() => {
        this.#retryTimer = undefined
        this.#isRetryDue = true
        this.#schedule()
      }, retryDelayMs)
    }
    return true
  }
}

const byChat = ({ recorder: one }: Entry, { recorder: other }: Entry): number =>
  one.chatId < other.chatId ? -1 : 1

/** Numbers the events that a run has added since the last commit, and computes the state after them. */
function toEntry(recorder: RunRecorder): Entry | undefined {
  const collected = recorder.collect()
  if (collected.events.length === 0) return undefined
  let { state } = recorder
  const events: NumberedEvent[] = []
  for (const event of collected.events) {
    const numbered = addNumber(event, state.seq + 1)
    events.push({ seq: numbered.seq, json: JSON.stringify(numbered) })
    state = applyEvent(state, numbered)
  }
  const isEnd = collected.events.at(-1)?.type === 'ended'
  recorder.flattenTextAt = flattenAt(
    recorder.flattenTextAt,
    textOfContent(state.messages.at(-1)?.content ?? ''),
  )
  return { recorder, batch: new EventBatch(events, { isEnd }), state, writes: collected.writes }
}

function toRows({ recorder, batch }: Entry): RunEventRow[] {
  return batch.events.map(({ seq, json }) => ({ run_id: recorder.runId, seq, event: json }))
}

/** Puts `type` first, because `listEventsMentioning` and `EventBatch` match the beginning of the JSON. */
function addNumber(event: UnnumberedEvent, seq: number): RunEvent {
  const { type, ...rest } = event
  return { type, seq, ...rest } as RunEvent
}
