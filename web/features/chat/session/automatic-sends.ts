import { isOutage, type Failure } from '../../../lib/api/api-error.ts'
import type { Connection } from '../../../lib/api/connection.ts'

/**
 * Decides whether a message that an outage kept from the server is sent without a click. This happens once per
 * message and outage. Otherwise a request that, for example, a browser extension blocks would be repeated forever.
 */
export class AutomaticSends {
  readonly #connection: Connection
  /** The id of the last message that was sent without a click, and how many outages there had been by then. */
  #sent: { readonly id: string; readonly outages: number } | undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * Returns whether the message with this id, which failed for this reason, is to be sent now, and counts it as sent:
   * another call for the same message returns false until the next outage.
   */
  claim(id: string, failure: Failure): boolean {
    const outages = this.#connection.countOutages()
    const isSent = this.#sent?.id === id && this.#sent.outages === outages
    if (!isOutage(failure) || this.#connection.get() !== 'online' || isSent) return false
    this.#sent = { id, outages }
    return true
  }
}
