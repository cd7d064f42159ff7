import type { LiveEvent, LiveRun } from '@yonder/contract/live'
import { LRUCache } from 'lru-cache'
import { sseFrame } from '../../http/sse.ts'
import { AppError } from '../../lib/app-error.ts'
import { repeatUntilStopped } from '../../lib/repeat-until-stopped.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import type { ActiveRun } from './active-runs.ts'
import { readRun } from './read-run.ts'
import { EventBatch } from './run-recorder.ts'
import {
  findLastSeq,
  listEndedForeignRuns,
  listForeignRuns,
  listRunRefs,
  listRunsOfUser,
  type RunRef,
} from './run-store.ts'

/** Milliseconds between two queries for runs of other nodes, in case a notification was lost. */
const searchIntervalMs = 1_000
/**
 * Milliseconds for which a run that has ended is found. A short one may begin and end between two queries, and clocks of
 * nodes differ.
 */
const maxEndedMs = 10_000
/** Runs whose notifications are ignored, because they have ended or their user had no live stream at this node. */
const maxIgnoredRuns = 10_000

/** The users who have a live stream at this node. */
export interface RunSubscribers {
  readonly isEmpty: boolean
  has(userId: string): boolean
  send(userId: string, frames: string): void
  sendChatChanged(userId: string, chatId: string): void
  /** Sends soon what lists show of these chats. */
  sendListed(userId: string, chatIds: readonly string[]): void
}

type Deps = Pick<
  CompletionDeps,
  'database' | 'nodeId' | 'runs' | 'notifications' | 'now' | 'onEnded' | 'onError'
>

/** A run whose events are being sent to its user. */
interface Watch {
  readonly run: RunRef
  /** The number of the last event that was sent; before the first is sent, the number of the event before it. */
  after: number
  /** Stops the reading of the run. */
  stop: () => void
}

/**
 * Sends the events of runs to the live streams of their users, whichever node writes the run. Each event is framed once
 * for all streams of a user, and a run is read only while its user has a stream at this node.
 */
export class RunFeed {
  readonly #deps: Deps
  readonly #subscribers: RunSubscribers
  readonly #watches = new Map<number, Watch>()
  readonly #ignored = new LRUCache<number, true>({ max: maxIgnoredRuns })
  /** The ids of runs from notifications, whose users are not known yet. */
  readonly #unknown = new Set<number>()
  readonly #endSearching: () => Promise<void>
  #isLookingUp = false

  constructor(deps: Deps, subscribers: RunSubscribers) {
    this.#deps = deps
    this.#subscribers = subscribers
    deps.runs.onAdded((run) => this.#onStarted(run))
    deps.notifications.onRun((runId) => this.#onNotification(runId))
    this.#endSearching = repeatUntilStopped(() => this.#search(), searchIntervalMs, deps.onError)
  }

  /**
   * Returns the user's active runs, each with the number of the last event before those that will be sent. When the
   * user already has another stream (`isFirst` is false), a run of another node that was not found before is sent from
   * its beginning.
   */
  async join(userId: string, isFirst: boolean): Promise<LiveRun[]> {
    const { db } = this.#deps.database
    // The first stream of a user begins with the state of now.
    if (isFirst)
      for (const run of await this.#listEnded()) if (run.user_id === userId) this.#ignored.set(run.id, true)
    for (const run of await listRunsOfUser(db, userId)) {
      if (this.#watches.has(run.id)) continue
      const after = isFirst ? await findLastSeq(db, run.id) : 0
      if (this.#subscribers.has(userId)) this.#watch(run, after)
    }
    return [...this.#watches.values()]
      .filter(({ run }) => run.user_id === userId)
      .map(({ run, after }) => ({ chatId: run.chat_id, messageId: run.message_id, seq: after }))
  }

  /** Stops reading the runs of a user whose last stream was closed. */
  leave(userId: string): void {
    for (const watch of this.#watches.values()) if (watch.run.user_id === userId) this.#end(watch)
  }

  async close(): Promise<void> {
    for (const watch of this.#watches.values()) this.#end(watch)
    await this.#endSearching()
  }

  #onStarted({ id, chatId, userId, started }: ActiveRun): void {
    if (!this.#subscribers.has(userId)) return
    const { nodeId } = this.#deps
    const message_id = started.assistant_message.id
    const run: RunRef = { id, chat_id: chatId, user_id: userId, message_id, node_id: nodeId }
    const watch = this.#open(run, started.seq)
    this.#send(watch, new EventBatch([{ seq: started.seq, json: JSON.stringify(started) }]))
  }

  #watch(run: RunRef, after: number): void {
    if (this.#watches.has(run.id)) return
    const recorder = this.#deps.runs.get(run.id)?.recorder
    if (recorder?.isRunning === true) this.#open(run, recorder.state.seq)
    // A run of this node without such a recorder has ended meanwhile, or is lost.
    else if (run.node_id !== this.#deps.nodeId) this.#open(run, after)
  }

  #open(run: RunRef, after: number): Watch {
    const watch: Watch = { run, after, stop: () => undefined }
    this.#watches.set(run.id, watch)
    this.#subscribers.sendListed(run.user_id, [run.chat_id])
    watch.stop = readRun(
      this.#deps,
      { runId: run.id, after },
      { onBatch: (batch) => this.#send(watch, batch), onEnd: (error) => this.#onEnd(watch, error) },
    )
    return watch
  }

  /** After a failure, the next search finds the run if another node executes it. */
  #onEnd(watch: Watch, error: Error | undefined): void {
    const { run } = watch
    this.#end(watch)
    if (error === undefined) return
    if (!(error instanceof AppError)) return this.#deps.onError(error)
    // This process has lost the run (`RunRecorder.lose`). If another node has ended it, the chat shows its end. If it
    // could not be stored, its end will be in its log when its lease has expired.
    if (error.code === 'storage_full') {
      this.#sendLost(run, error)
      this.#open(run, watch.after)
    }
    this.#subscribers.sendChatChanged(run.user_id, run.chat_id)
  }

  #end(watch: Watch): void {
    watch.stop()
    if (this.#watches.get(watch.run.id) === watch) this.#watches.delete(watch.run.id)
  }

  #send(watch: Watch, { events, isEnd }: EventBatch): void {
    const { chat_id, message_id, user_id } = watch.run
    const head = `{"type":"run","chatId":${JSON.stringify(chat_id)},"messageId":${JSON.stringify(message_id)}`
    let frames = ''
    for (const { json } of events) frames += sseFrame(`${head},"event":${json}}`)
    if (frames !== '') this.#subscribers.send(user_id, frames)
    watch.after = events.at(-1)?.seq ?? watch.after
    if (!isEnd) return
    this.#subscribers.sendListed(user_id, [chat_id])
    this.#ignored.set(watch.run.id, true)
    this.#end(watch)
  }

  #sendLost({ user_id, chat_id, message_id }: RunRef, { code, message }: AppError): void {
    const lost: LiveEvent = {
      type: 'run_lost',
      chatId: chat_id,
      messageId: message_id,
      error: { code, message },
    }
    this.#subscribers.send(user_id, sseFrame(JSON.stringify(lost)))
  }

  #onNotification(runId: number): void {
    if (this.#subscribers.isEmpty || this.#deps.runs.has(runId)) return
    if (this.#watches.has(runId) || this.#ignored.has(runId)) return
    this.#unknown.add(runId)
    if (!this.#isLookingUp) this.#lookUp().catch(this.#deps.onError)
  }

  async #lookUp(): Promise<void> {
    this.#isLookingUp = true
    try {
      while (this.#unknown.size > 0) {
        const runIds = [...this.#unknown]
        this.#unknown.clear()
        for (const run of await listRunRefs(this.#deps.database.db, runIds)) {
          if (run.node_id === this.#deps.nodeId) continue
          if (this.#subscribers.has(run.user_id)) this.#watch(run, 0)
          else this.#ignored.set(run.id, true)
        }
      }
    } finally {
      this.#isLookingUp = false
    }
  }

  /** Finds runs of other nodes whose notification was lost. */
  async #search(): Promise<void> {
    const { database, nodeId } = this.#deps
    if (this.#subscribers.isEmpty) return
    for (const run of [...(await listForeignRuns(database.db, nodeId)), ...(await this.#listEnded())])
      if (this.#subscribers.has(run.user_id)) this.#watch(run, 0)
  }

  /** The runs of other nodes that have ended a moment ago and were not sent. */
  async #listEnded(): Promise<readonly RunRef[]> {
    const { database, nodeId, now } = this.#deps
    const runs = await listEndedForeignRuns(database.db, nodeId, now() - maxEndedMs)
    return runs.filter(({ id }) => !this.#ignored.has(id))
  }
}
