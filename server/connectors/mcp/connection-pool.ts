import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import type { ServerConnection } from './server-connection.ts'

/** The keys of a user's connections start with this. */
export function userPrefix(userId: string): string {
  return `${userId} `
}

/** The keys of a connector's connections start with this. */
export function connectionPrefix({ user_id, id }: Pick<ConnectorRow, 'user_id' | 'id'>): string {
  return `${userPrefix(user_id)}${id} `
}

/** A connection is never used under another key: not by another user, and not after its credentials have changed. */
export function connectionKey(
  connector: Pick<ConnectorRow, 'user_id' | 'id' | 'credential_version'>,
): string {
  return `${connectionPrefix(connector)}${connector.credential_version}`
}

export interface ConnectionPoolOptions {
  /** Milliseconds that an unused connection is kept. */
  readonly maxIdleMs: number
  /** The longest unused connection is closed first. */
  readonly maxIdleConnections: number
}

interface Idle {
  readonly key: string
  readonly connection: ServerConnection
  readonly timer: NodeJS.Timeout
}

/**
 * Idle connections. A caller uses a connection alone, so a response or an elicitation belongs to its request; a second
 * request at the same time opens another connection. Cache libraries hold one value per key; here a key may have
 * several.
 */
export class ConnectionPool {
  readonly #options: ConnectionPoolOptions
  /** In the order of release. */
  readonly #idle = new Set<Idle>()
  #closed = false

  constructor(options: ConnectionPoolOptions) {
    this.#options = options
  }

  /** Takes an idle connection out of the pool; the caller releases it after use. */
  acquire(key: string): ServerConnection | undefined {
    for (const waiting of this.#idle) {
      if (waiting.key !== key) continue
      this.#remove(waiting)
      if (waiting.connection.usable) return waiting.connection
    }
    return undefined
  }

  /** Keeps a connection for its next request, or closes it when it is broken. */
  release(key: string, connection: ServerConnection): void {
    if (this.#closed || !connection.usable) return void connection.close()
    const timer = setTimeout(() => void this.#end(waiting), this.#options.maxIdleMs)
    timer.unref()
    const waiting: Idle = { key, connection, timer }
    this.#idle.add(waiting)
    const [oldest] = this.#idle
    if (this.#idle.size > this.#options.maxIdleConnections && oldest !== undefined) void this.#end(oldest)
  }

  /** Closes the idle connections whose key starts with `prefix`. */
  async drop(prefix: string): Promise<void> {
    const dropped = [...this.#idle].filter(({ key }) => key.startsWith(prefix))
    await Promise.all(dropped.map((waiting) => this.#end(waiting)))
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.drop('')
  }

  #remove(waiting: Idle): void {
    clearTimeout(waiting.timer)
    this.#idle.delete(waiting)
  }

  #end(waiting: Idle): Promise<void> {
    this.#remove(waiting)
    return waiting.connection.close()
  }
}
