import type { Actor } from '../../access/access.ts'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { onAbort } from '../../lib/abort.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { findConnectorById } from '../connector-store.ts'
import { explainFailure } from '../mcp/explain-failure.ts'
import type { ConnectorWithTools } from './adapt-tools.ts'
import { reportUsable, type OnStatus } from './connection-round.ts'
import { readBlockedTools } from './permission-store.ts'
import { refreshTools } from './refresh-tools.ts'
import { listTools } from './tool-store.ts'

/**
 * Prepares a user's connectors before a reply: refreshes the lists that need it and reports the status of each.
 */
export class ConnectorPreparation {
  /** The connectors whose tools are offered. */
  readonly ready: ConnectorWithTools[] = []
  /** The number of connectors that responded in time or needed no refresh, and whose calls do not fail. */
  workingCount = 0
  readonly #deps: ConnectorDeps
  readonly #user: Actor
  readonly #onStatus: OnStatus

  constructor(deps: ConnectorDeps, user: Actor, onStatus: OnStatus) {
    this.#deps = deps
    this.#user = user
    this.#onStatus = onStatus
  }

  /**
   * Adds a connector to `ready` when its list can be used, after waiting at most `maxToolListWaitMs` for its refresh.
   * Never rejects: failures are reported to `onStatus`.
   */
  async add(connector: ConnectorRow, needsRefresh: boolean, signal: AbortSignal): Promise<void> {
    const { settings, onError } = this.#deps
    const { name } = connector
    const refreshed = needsRefresh ? refreshTools(this.#deps, connector) : Promise.resolve()
    // Prevents an unhandled rejection when it fails after the wait has ended; the failure is stored in the connector's
    // row.
    refreshed.catch(() => undefined)
    let responded = true
    try {
      await waitAtMost(settings.limits.maxToolListWaitMs, refreshed, signal)
    } catch (error) {
      if (!(error instanceof WaitEnded)) {
        const { message } = explainFailure(error)
        this.#onStatus({ status: 'error', server: name, message })
        return
      }
      responded = false
    }
    try {
      await this.#addReady(connector, responded)
    } catch (error) {
      onError(error)
      this.#onStatus({
        status: 'error',
        server: name,
        message: 'Its stored tools could not be read. Try again.',
      })
    }
    if (responded) return
    // Not earlier, so that the outcome is reported after the message that the connector is slow.
    refreshed.then(
      () => this.#reportLate(connector),
      (late: unknown) =>
        this.#onStatus({ status: 'error', server: name, message: explainFailure(late).message }),
    )
  }

  /** Adds the connector with its stored tools. One that is slow is not reported as connected. */
  async #addReady(connector: ConnectorRow, responded: boolean): Promise<void> {
    const { db } = this.#deps.database
    const current = await findConnectorById(db, this.#user, connector.id)
    if (current === undefined) return
    const tools = await listTools(db, [connector.id])
    this.ready.push({ connector: current, tools })
    if (!responded) {
      const used = tools.length === 0 ? 'it has no stored tools yet' : 'its stored tools are used'
      const message = `${current.name} is slow to respond; ${used}.`
      return this.#onStatus({ status: 'info', server: current.name, message })
    }
    if (current.call_error === null) this.workingCount++
    reportUsable(current, await this.#countOffered(current, tools), this.#onStatus)
    if (current.notice !== null) {
      this.#onStatus({ status: 'info', server: current.name, message: current.notice })
    }
  }

  /** Reports a server that has responded after the reply stopped waiting for it. */
  async #reportLate({ id }: ConnectorRow): Promise<void> {
    const { db } = this.#deps.database
    try {
      const current = await findConnectorById(db, this.#user, id)
      if (current === undefined) return
      reportUsable(current, await this.#countOffered(current, await listTools(db, [id])), this.#onStatus)
    } catch (error) {
      this.#deps.onError(error)
    }
  }

  /** Tools that are blocked or cannot be used are not offered to models. */
  async #countOffered(connector: ConnectorRow, tools: ConnectorWithTools['tools']): Promise<number> {
    const isBlocked = await readBlockedTools(this.#deps.database.db, this.#user)
    return tools.filter(({ name, problem }) => problem === null && !isBlocked(connector, name)).length
  }
}

class WaitEnded extends Error {}

/** @throws WaitEnded when the time has passed, or `signal` aborts, before the work ends */
function waitAtMost(milliseconds: number, work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopWaiting = (): void => reject(new WaitEnded())
    const timer = setTimeout(stopWaiting, milliseconds)
    const removeAbort = onAbort(signal, stopWaiting)
    const settle = (): void => {
      clearTimeout(timer)
      removeAbort()
    }
    work.then(resolve, reject).finally(settle)
  })
}
