import { setImmediate } from 'node:timers/promises'

/**
 * Divides work that many callers have at the same moment: one of them continues in each turn of the event loop, in
 * order, so that other requests are handled in between. Awaiting a promise alone does not let others in, because
 * everything that is already available, such as a row of SQLite, continues within the same turn.
 */
export class EventLoopTurns {
  #last: Promise<void> = Promise.resolve()

  /** Resolves in a turn of the event loop in which no other caller continues. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => setImmediate())
    return this.#last
  }
}
