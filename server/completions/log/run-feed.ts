import type { LiveRun } from '@yonder/contract/live'
import type { RunEvent } from '@yonder/contract/completion'
import { sseFrame } from '../../http/sse.ts'
import { repeatUntilStopped } from '../../lib/repeat-until-stopped.ts'
import type { ActiveRun } from './active-runs.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import type { WrittenEvent } from './run-recorder.ts'
import { findLastSeq, listForeignRuns, listRunOwners, listRunsOfUser } from './run-store.ts'
import type { RunOwner } from './run-store.ts'
import { watchForeignRun } from './watch-foreign-run.ts'

/** Milliseconds between two looks for runs of other nodes, of which a notification tells sooner where there is one. */
const lookInterval = 1_000
/** Runs that are remembered as none of our listeners' business, or as told to their end. */
const mostPast = 10_000

/** Who listens at this node. */
export interface RunAudience {
  readonly isEmpty: boolean
  has(userId: string): boolean
  send(userId: string, frames: string): void
  notifyChatChanged(userId: string, chatId: string): void
}

type Deps = Omit<CompletionDeps, 'feed'>

interface Watch {
  readonly run: RunOwner
  /** The last event that was told, or that came before the first that is told. */
  after: number
  stop: () => void
}

/**
 * Tells people who listen what their runs say, on whichever node: each event is framed once, whoever hears it, and a run
 * is followed only while somebody listens.
 */
export class RunFeed {
  readonly #deps: Deps
  readonly #audience: RunAudience
  readonly #watches = new Map<number, Watch>()
  readonly #past = new Set<number>()
  readonly #unknown = new Set<number>()
  readonly #endLooking: () => Promise<void>
  #asking = false

  constructor(deps: Deps, audience: RunAudience) {
    this.#deps = deps
    this.#audience = audience
    deps.news.onNews((runId) => this.#hear(runId))
    this.#endLooking = repeatUntilStopped(() => this.#look(), lookInterval, deps.onError)
  }

  /** A run of this process has begun. */
  begin(run: RunOwner, active: ActiveRun, started: RunEvent): void {
    if (!this.#audience.has(run.user_id)) return
    const watch = this.#watchOwn(run, active)
    this.#tell(watch, [{ seq: started.seq, json: JSON.stringify(started), last: false }])
  }

  /**
   * The runs of a person and where they stand; whatever they say from here on is told. Where others of theirs listen
   * already, a run that was not found yet is told from its beginning.
   */
  async join(userId: string, alone: boolean): Promise<LiveRun[]> {
    const { db } = this.#deps.database
    for (const run of await listRunsOfUser(db, userId)) {
      if (this.#watches.has(run.id)) continue
      const after = alone ? await findLastSeq(db, run.id) : 0
      if (this.#audience.has(userId)) this.#watch(run, after)
    }
    return [...this.#watches.values()]
      .filter(({ run }) => run.user_id === userId)
      .map(({ run, after }) => ({ chatId: run.chat_id, messageId: run.message_id, seq: after }))
  }

  /** Nobody listens as this user any more. */
  leave(userId: string): void {
    for (const { run, stop } of this.#watches.values()) if (run.user_id === userId) stop()
  }

  async close(): Promise<void> {
    for (const { stop } of this.#watches.values()) stop()
    await this.#endLooking()
  }

  #watch(run: RunOwner, after: number): void {
    if (this.#watches.has(run.id)) return
    const own = this.#deps.runs.get(run.id)
    if (own?.recorder.state.status === 'running') this.#watchOwn(run, own)
    else if (run.node_id !== this.#deps.nodeId) this.#watchForeign(run, after)
  }

  #watchOwn(run: RunOwner, { recorder }: ActiveRun): Watch {
    const watch = this.#open(run, recorder.state.seq)
    const detach = recorder.watch({
      onEvents: (events) => this.#tell(watch, events),
      onLost: () => {
        watch.stop()
        this.#audience.notifyChatChanged(run.user_id, run.chat_id)
      },
    })
    const { stop } = watch
    watch.stop = () => {
      stop()
      detach()
    }
    return watch
  }

  #watchForeign(run: RunOwner, after: number): void {
    const watch = this.#open(run, after)
    const leaving = new AbortController()
    const { stop } = watch
    watch.stop = () => {
      stop()
      leaving.abort()
    }
    watchForeignRun(this.#deps, {
      runId: run.id,
      after,
      onEvents: (events) => this.#tell(watch, events),
      signal: leaving.signal,
    }).then(
      () => watch.stop(),
      (error: unknown) => {
        // Found again at the next look for runs.
        this.#deps.onError(error)
        watch.stop()
      },
    )
  }

  #open(run: RunOwner, after: number): Watch {
    const watch: Watch = { run, after, stop: () => this.#watches.delete(run.id) }
    this.#watches.set(run.id, watch)
    return watch
  }

  #tell(watch: Watch, events: readonly WrittenEvent[]): void {
    const { chat_id, message_id, user_id } = watch.run
    const head = `{"type":"run","chatId":${JSON.stringify(chat_id)},"messageId":${JSON.stringify(message_id)}`
    let frames = ''
    for (const { json } of events) frames += sseFrame(`${head},"event":${json}}`)
    this.#audience.send(user_id, frames)
    watch.after = events.at(-1)?.seq ?? watch.after
    if (events.at(-1)?.last !== true) return
    this.#forget(watch.run.id)
    watch.stop()
  }

  /** News of a run that nobody here knows: whose is it? */
  #hear(runId: number): void {
    if (this.#audience.isEmpty || this.#deps.runs.has(runId)) return
    if (this.#watches.has(runId) || this.#past.has(runId)) return
    this.#unknown.add(runId)
    if (!this.#asking) this.#ask().catch(this.#deps.onError)
  }

  async #ask(): Promise<void> {
    this.#asking = true
    try {
      while (this.#unknown.size > 0) {
        const runIds = [...this.#unknown]
        this.#unknown.clear()
        for (const run of await listRunOwners(this.#deps.database.db, runIds)) {
          if (run.node_id === this.#deps.nodeId) continue
          if (this.#audience.has(run.user_id)) this.#watch(run, 0)
          else this.#forget(run.id)
        }
      }
    } finally {
      this.#asking = false
    }
  }

  /** Finds what no news has told of. */
  async #look(): Promise<void> {
    const { database, nodeId } = this.#deps
    if (this.#audience.isEmpty) return
    for (const run of await listForeignRuns(database.db, nodeId)) {
      if (this.#audience.has(run.user_id)) this.#watch(run, 0)
    }
  }

  #forget(runId: number): void {
    this.#past.add(runId)
    const [oldest] = this.#past
    if (this.#past.size > mostPast && oldest !== undefined) this.#past.delete(oldest)
  }
}
