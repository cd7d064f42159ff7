import type { StartedEvent } from '@yonder/contract/completion'
import type { ElicitationAnswer } from '@yonder/contract/elicitation'
import { restarting } from '../../http/shutdown.ts'
import { onAbort, waitAtMost } from '../../lib/abort.ts'
import { AppError } from '../../lib/app-error.ts'
import type { AbortReason } from '../run.ts'
import type { RunRecorder } from './run-recorder.ts'

/** A run that is executed by this process. */
export interface ActiveRun {
  readonly id: number
  readonly chatId: string
  readonly userId: string
  readonly started: StartedEvent
  readonly recorder: RunRecorder
  /** The elicitations of its tool calls. */
  readonly elicitations: PendingElicitations
  /** Ends the run and keeps its text so far. */
  abort(reason: AbortReason): void
  /** Resolves when the end of the run is stored, or when the run is lost. */
  readonly ended: Promise<void>
}

/** Milliseconds that the shutdown waits at most for the ends of aborted runs to be stored. */
const maxCloseMs = 5_000

/** The runs that this process executes, by run id. */
export class ActiveRuns extends Map<number, ActiveRun> {
  readonly #listeners: ((run: ActiveRun) => void)[] = []
  #isRefusing = false

  list(): ActiveRun[] {
    return [...this.values()]
  }

  add(run: ActiveRun): void {
    this.set(run.id, run)
    for (const listener of this.#listeners) listener(run)
  }

  onAdded(listener: (run: ActiveRun) => void): void {
    this.#listeners.push(listener)
  }

  /** From now on, `checkAccepting` throws. */
  refuseNew(): void {
    this.#isRefusing = true
  }

  /**
   * Must be called before anything of a new run is written.
   * @throws AppError `restarting` when this process will end soon
   */
  checkAccepting(): void {
    if (this.#isRefusing) throw restarting()
  }

  /**
   * Refuses a further run of a user who has `max` at this node. The text of every run is in memory.
   * @throws AppError `rate_limited`
   */
  checkUserLimit(max: number, userId: string): void {
    let count = 0
    for (const run of this.values()) if (run.userId === userId) count += 1
    if (count < max) return
    throw new AppError(
      'rate_limited',
      `You have reached the limit of ${max} replies in progress. Wait until one has finished, or stop one.`,
    )
  }

  /** Ends the runs as interrupted, with their text. */
  async close(): Promise<void> {
    this.refuseNew()
    for (const run of this.list()) run.abort('interrupted')
    await waitAtMost(Promise.all(this.list().map(({ ended }) => ended)), maxCloseMs)
  }
}

/** The elicitations of a run's tool calls that the user has not answered yet. */
export class PendingElicitations {
  readonly #resolvers = new Map<string, (answer: ElicitationAnswer) => void>()

  get isEmpty(): boolean {
    return this.#resolvers.size === 0
  }

  /** Resolves with the answer, or with `cancel` when `signal` is aborted. */
  async wait(id: string, signal: AbortSignal): Promise<ElicitationAnswer> {
    const { promise, resolve } = Promise.withResolvers<ElicitationAnswer>()
    this.#resolvers.set(id, resolve)
    const removeAbort = onAbort(signal, () => resolve({ action: 'cancel' }))
    return promise.finally(() => {
      removeAbort()
      this.#resolvers.delete(id)
    })
  }

  /** Does nothing when the elicitation is not pending. */
  answer(id: string, answer: ElicitationAnswer): void {
    this.#resolvers.get(id)?.(answer)
  }
}
