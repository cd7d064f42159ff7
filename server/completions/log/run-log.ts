import { applyEvent, emptyRun } from '@yonder/contract/apply-event'
import type { RunState } from '@yonder/contract/apply-event'
import type { RunEvent, UnnumberedEvent } from '@yonder/contract/completion'
import type { Db } from '../../db/database.ts'
import type { RunEventRow } from '../../db/tables/tables.ts'
import { RunRecorder } from './run-recorder.ts'
import type { EventWrite, WrittenEvent } from './run-recorder.ts'

/** Milliseconds for which the events of all runs are gathered into one commit. */
const mergeTime = 50
/** Runs in one commit: what PostgreSQL tells other nodes of it must fit into a notification. */
const mostRuns = 300
/** Milliseconds after which a failed commit is tried again, and after which its runs are given up. */
const retryTime = 250
const longestRetry = 8_000

export interface RunLogOptions {
  /** Writes events and gives the runs that are still ours. One commit outside of a transaction. */
  readonly append: (db: Db, events: readonly RunEventRow[]) => Promise<ReadonlySet<number>>
  readonly db: Db
  readonly transaction: (work: (trx: Db) => Promise<void>) => Promise<void>
  /** A commit failed; it is tried again. */
  readonly onError: (error: unknown) => void
}

/** What one run brings to a commit. */
interface Entry {
  readonly recorder: RunRecorder
  readonly events: readonly WrittenEvent[]
  readonly writes: readonly EventWrite[]
  readonly state: RunState
  /** What it was made of, to be put back when the commit fails. */
  readonly unnumbered: readonly UnnumberedEvent[]
}

/**
 * Writes down what the runs of this process say: numbers their events, merges them for up to 50 ms over all runs, commits
 * them together, and only then shows them. So whatever a reader saw is in the database. The first event and the first
 * text of a run do not wait. One commit is under way at a time; what comes meanwhile goes into the next.
 */
export class RunLog {
  readonly #options: RunLogOptions
  readonly #dirty = new Set<RunRecorder>()
  #timer: NodeJS.Timeout | undefined
  #immediate: NodeJS.Immediate | undefined
  #flushing: Promise<void> | undefined
  #hurry = false

  constructor(options: RunLogOptions) {
    this.#options = options
  }

  /** Takes up a run whose first event is committed. */
  open(runId: number, started: RunEvent): RunRecorder {
    return new RunRecorder(runId, applyEvent(emptyRun, started), (recorder, hurry) => {
      this.#dirty.add(recorder)
      this.#schedule(hurry)
    })
  }

  #schedule(hurry: boolean): void {
    if (this.#flushing !== undefined) {
      this.#hurry ||= hurry
    } else if (hurry) {
      // After all that has arrived by now was read: many first tokens make one commit.
      this.#immediate ??= setImmediate(() => this.#start())
    } else if (this.#immediate === undefined) {
      this.#timer ??= setTimeout(() => this.#start(), mergeTime)
    }
  }

  #start(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#immediate = undefined
    this.#flushing = this.#flush().finally(() => {
      this.#flushing = undefined
      const hurry = this.#hurry
      this.#hurry = false
      if (this.#dirty.size > 0) this.#schedule(hurry)
    })
  }

  async #flush(): Promise<void> {
    const entries = this.#takeEntries()
    if (entries.length === 0) return
    try {
      await this.#commit(entries)
    } catch (error) {
      this.#options.onError(error)
      // One run that cannot be written must not hold up the others.
      for (const entry of entries)
        await this.#commit([entry]).catch((cause: unknown) => this.#putBack(entry, cause))
    }
  }

  #takeEntries(): Entry[] {
    const entries: Entry[] = []
    for (const recorder of this.#dirty) {
      if (entries.length >= mostRuns) {
        this.#hurry = true
        break
      }
      this.#dirty.delete(recorder)
      const entry = toEntry(recorder)
      if (entry !== undefined) entries.push(entry)
    }
    return entries
  }

  async #commit(entries: readonly Entry[]): Promise<void> {
    const rows = entries.flatMap(({ recorder, events }) =>
      events.map(({ seq, json }): RunEventRow => ({ run_id: recorder.runId, seq, event: json })),
    )
    let live: ReadonlySet<number> = new Set()
    if (entries.some((entry) => entry.writes.length > 0)) {
      await this.#options.transaction(async (trx) => {
        live = await this.#options.append(trx, rows)
        for (const { recorder, writes, state } of entries) {
          if (!live.has(recorder.runId)) continue
          for (const write of writes) await write(trx, state)
        }
      })
    } else {
      live = await this.#options.append(this.#options.db, rows)
    }
    for (const { recorder, events, state } of entries) {
      if (live.has(recorder.runId)) recorder.show(events, state)
      else recorder.lose({ code: 'interrupted', message: 'The reply was taken over by another server.' })
    }
  }

  #putBack({ recorder, unnumbered, writes }: Entry, cause: unknown): void {
    const now = Date.now()
    recorder.failingSince ??= now
    if (now - recorder.failingSince > longestRetry) {
      this.#options.onError(cause)
      recorder.lose({ code: 'storage_full', message: 'The reply could not be stored and was ended.' })
      return
    }
    recorder.putBack(unnumbered, writes)
    setTimeout(() => {
      this.#dirty.add(recorder)
      this.#schedule(true)
    }, retryTime)
  }
}

/** Numbers what a run has said since the last commit, and folds it as every reader will. */
function toEntry(recorder: RunRecorder): Entry | undefined {
  const { events: unnumbered, writes } = recorder.take()
  if (unnumbered.length === 0) return undefined
  let { state } = recorder
  const events: WrittenEvent[] = []
  for (const event of unnumbered) {
    const seq = state.seq + 1
    const numbered = number(event, seq)
    events.push({ seq, json: JSON.stringify(numbered), last: event.type === 'ended' })
    state = applyEvent(state, numbered)
  }
  return { recorder, events, writes, state, unnumbered }
}

/** The type stands first and the number second, as in every line of the stream. */
function number(event: UnnumberedEvent, seq: number): RunEvent {
  const { type, ...rest } = event
  return { type, seq, ...rest } as RunEvent
}
