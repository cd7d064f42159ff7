import { isOutage, type Failure } from '../../../lib/api/api-error.ts'
import type { Connection } from '../../../lib/api/connection.ts'

/**
 * Decides whether a message that an outage kept from the server is sent without a click (§10.31). This happens once per
 * outage. Otherwise a request that, for example, a browser extension blocks would be repeated forever.
 */
export class AutomaticSends {
  readonly #connection: Connection
  /** The id of the last message that was sent without a click since the last outage. */
  #sentId: string | undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Calls `onBack` whenever the server can be reached again, until the returned function is called. */
  watch(onBack: () => void): () => void {
    return this.#connection.subscribe(() => {
      const state = this.#connection.get()
      if (state === 'offline' || state === 'unreachable') this.#sentId = undefined
      if (state === 'online') onBack()
    })
  }

  /**
   * Returns whether the message with this id, which failed for this reason, is to be sent now, and counts it as sent:
   * until the next outage it returns false for the same message.
   */
  claim(id: string, failure: Failure): boolean {
    if (!isOutage(failure) || this.#connection.get() !== 'online' || this.#sentId === id) return false
    this.#sentId = id
    return true
  }
}
