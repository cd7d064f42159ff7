import { createStore, type ReadableStore } from '../store.ts'

/**
 * Whether requests reach the server. `offline`: the browser has no network. `checking`: the network is back or a
 * request has failed, and the server is being probed. `unreachable`: the server has not responded for a second.
 */
export type ConnectionState = 'online' | 'checking' | 'unreachable' | 'offline'

/** A server that cannot be reached for a shorter time is not shown as `unreachable`. */
const gracePeriodMs = 1000
/** The pause between two checks once the server is `unreachable`. */
const checkIntervalMs = 2000

/**
 * The state of the connection to the server. `probe` resolves to whether the server responds. It is called only while
 * something subscribes to the state.
 */
export class ServerConnection implements ReadableStore<ConnectionState> {
  readonly #probe: () => Promise<boolean>
  readonly #state = createStore<ConnectionState>(navigator.onLine ? 'online' : 'offline')
  #outages = 0
  #lostAt: Date | undefined
  #subscribers = 0
  #isChecking = false
  #endPause = () => {}

  constructor(probe: () => Promise<boolean>) {
    this.#probe = probe
  }

  readonly get = (): ConnectionState => this.#state.get()

  /** Returns how many outages, shown as `offline` or `unreachable`, have begun so far. */
  readonly countOutages = (): number => this.#outages

  /** Returns when an outage has begun that has not ended. */
  readonly lostAt = (): Date | undefined => this.#lostAt

  /** Called when the server may be unreachable: probes it until it responds, while something subscribes. */
  readonly check = (): void => {
    if (this.#subscribers === 0 || this.#isChecking || !navigator.onLine) return
    this.#isChecking = true
    if (this.get() !== 'unreachable') this.#state.set('checking')
    void this.#checkUntilOnline().finally(() => {
      this.#isChecking = false
    })
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    const unsubscribe = this.#state.subscribe(listener)
    this.#subscribers += 1
    if (this.#subscribers === 1) this.#watchBrowser()
    return () => {
      unsubscribe()
      this.#subscribers -= 1
      if (this.#subscribers > 0) return
      window.removeEventListener('offline', this.#handleOffline)
      window.removeEventListener('online', this.#handleOnline)
      this.#endPause()
    }
  }

  #watchBrowser(): void {
    window.addEventListener('offline', this.#handleOffline)
    window.addEventListener('online', this.#handleOnline)
    if (!navigator.onLine) this.#handleOffline()
    // The server may have become reachable while nothing subscribed.
    else if (this.get() !== 'online') this.check()
  }

  readonly #handleOffline = (): void => this.#setOut('offline')

  readonly #handleOnline = (): void => {
    this.#state.set('checking')
    this.#endPause()
    this.check()
  }

  async #checkUntilOnline(): Promise<void> {
    const startedAt = Date.now()
    while (this.#subscribers > 0 && navigator.onLine) {
      const isReachable = await this.#probe()
      if (!navigator.onLine) return
      if (isReachable) {
        this.#lostAt = undefined
        return this.#state.set('online')
      }
      const isGraceOver = Date.now() - startedAt >= gracePeriodMs
      if (isGraceOver) this.#setOut('unreachable')
      await this.#pause(isGraceOver ? checkIntervalMs : gracePeriodMs)
    }
  }

  #setOut(state: 'offline' | 'unreachable'): void {
    if (this.get() !== state) this.#outages += 1
    this.#lostAt ??= new Date()
    this.#state.set(state)
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds)
      this.#endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

export type Connection = Pick<ServerConnection, 'get' | 'subscribe' | 'check' | 'countOutages' | 'lostAt'>

/** Calls `listener` whenever the server can be reached again. Returns a function that ends this. */
export function onConnectionBack(connection: Connection, listener: () => void): () => void {
  return connection.subscribe(() => {
    if (connection.get() === 'online') listener()
  })
}

/**
 * Calls `listener` after each outage that was shown as `offline` or `unreachable`. A single lost request is no such
 * outage. Returns a function that ends this.
 */
export function onOutageEnd(connection: Connection, listener: () => void): () => void {
  const isOut = () => connection.get() === 'offline' || connection.get() === 'unreachable'
  let wasOut = isOut()
  return connection.subscribe(() => {
    if (isOut()) {
      wasOut = true
    } else if (wasOut && connection.get() === 'online') {
      wasOut = false
      listener()
    }
  })
}

/** The pause before the second retry; each further pause is twice as long, up to the maximum. */
const firstPauseMs = 500
const maxPauseMs = 15_000

/**
 * Waits before a broken connection is retried. There is no wait before the first retry, when `failures` is 0. The wait
 * ends early when the network or the server is back, or `signal` is aborted.
 */
export async function waitToRetry(
  failures: number,
  signal: AbortSignal,
  connection?: Connection,
): Promise<void> {
  if (failures === 0 || signal.aborted) return
  const pause = Math.min(maxPauseMs, firstPauseMs * 2 ** (failures - 1))
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer)
      unsubscribe?.()
      window.removeEventListener('online', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, pause)
    const unsubscribe = connection && onConnectionBack(connection, done)
    window.addEventListener('online', done)
    signal.addEventListener('abort', done)
  })
}
