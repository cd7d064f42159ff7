import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../lib/app-error.ts'
import { repeatUntilStopped } from '../../lib/repeat-until-stopped.ts'
import { listQueuedChats, selectReady } from './queue-store.ts'
import { drainQueue, type SendDeps } from './send-queued.ts'

/** Milliseconds between two looks for queues that nobody lets go on: their node died, or had no room for a reply. */
const sweepIntervalMs = 3_000
/** Chats that are read at once. The statement takes milliseconds, and SQLite blocks the process meanwhile. */
const sliceSize = 25
/** Slices of one look: with thousands of paused queues, the rest is read by the next looks. */
const maxSlices = 20

/** Lets the queues of chats go on: after a run, and those that were left behind. */
export class QueueRunner {
  readonly #deps: SendDeps
  readonly #draining = new Set<Promise<void>>()
  readonly #endSweep: () => Promise<void>
  /** The last chat that was looked at; the next slice begins after it. */
  #after = ''
  #isClosed = false

  constructor(deps: SendDeps) {
    this.#deps = deps
    this.#endSweep = repeatUntilStopped(() => this.sweep(), sweepIntervalMs, deps.onError)
  }

  /** Called when a run of the chat has ended. Never throws. */
  drain(chatId: string): void {
    if (this.#isClosed) return
    const draining = this.#drain(chatId).finally(() => this.#draining.delete(draining))
    this.#draining.add(draining)
  }

  /** Lets queues go on that are ready. */
  async sweep(): Promise<void> {
    const { db } = this.#deps.database
    for (let slice = 0; slice < maxSlices && !this.#isClosed; slice++) {
      const chats = await listQueuedChats(db, { after: this.#after, limit: sliceSize })
      const isLast = chats.length < sliceSize
      this.#after = isLast ? '' : (chats.at(-1) ?? '')
      for (const chatId of await selectReady(db, chats)) if (!this.#isClosed) await this.#drain(chatId)
      if (isLast) return
      await nextTurn()
    }
  }

  /** Waits for what is being sent. Call it before the runs are closed. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([this.#endSweep(), ...this.#draining])
  }

  async #drain(chatId: string): Promise<void> {
    try {
      await drainQueue(this.#deps, chatId)
    } catch (error) {
      // The chat was deleted in this moment.
      if (error instanceof AppError && error.code === 'not_found') return
      this.#deps.onError(error)
    }
  }
}
