import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import type { ConnectorLimits } from '../connector-limits.ts'
import type { ServerConnection } from './server-connection.ts'

/** Returns the prefix of the keys of a user's connections. */
export function userPrefix(userId: string): string {
  return `${userId} `
}

/** Returns the prefix of the keys of a connector's connections. */
export function connectionPrefix({ user_id, id }: Pick<ConnectorRow, 'user_id' | 'id'>): string {
  return `${userPrefix(user_id)}${id} `
}

/**
 * Returns the key of a connector's connections. The key contains the user and the version of the credential, so that a
 * connection is never used for another user or with old credentials.
 */
export function connectionKey(
  connector: Pick<ConnectorRow, 'user_id' | 'id' | 'credential_version'>,
): string {
  return `${connectionPrefix(connector)}${connector.credential_version}`
}

interface Idle {
  readonly key: string
  readonly connection: ServerConnection
  readonly timer: NodeJS.Timeout
}

/**
 * A pool of idle connections. A connection serves one request at a time, so that every response and elicitation belongs
 * to that request; a concurrent request opens another connection. Not a cache library, because those store one value
 * per key and here a key can have several.
 */
export class ConnectionPool {
  readonly #limits: Pick<ConnectorLimits, 'maxIdleMs' | 'maxIdleConnections'>
  /** In order of release, the oldest first. */
  readonly #idle = new Set<Idle>()
  #closed = false

  /** Beyond `maxIdleConnections`, the connection that has been idle longest is closed. */
  constructor(limits: Pick<ConnectorLimits, 'maxIdleMs' | 'maxIdleConnections'>) {
    this.#limits = limits
  }

  /** Removes an idle connection from the pool and returns it; the caller releases or closes it after use. */
  acquire(key: string): ServerConnection | undefined {
    for (const idle of this.#idle) {
      if (idle.key !== key) continue
      this.#remove(idle)
      if (idle.connection.usable) return idle.connection
    }
    return undefined
  }

  /** Returns a connection to the pool for another request, or closes it when it is broken. */
  release(key: string, connection: ServerConnection): void {
    if (this.#closed || !connection.usable) return void connection.close()
    const timer = setTimeout(() => void this.#end(idle), this.#limits.maxIdleMs)
    timer.unref()
    const idle: Idle = { key, connection, timer }
    this.#idle.add(idle)
    const [oldest] = this.#idle
    if (this.#idle.size > this.#limits.maxIdleConnections && oldest !== undefined) void this.#end(oldest)
  }

  /** Closes the idle connections whose key starts with `prefix`. */
  async drop(prefix: string): Promise<void> {
    const dropped = [...this.#idle].filter(({ key }) => key.startsWith(prefix))
    await Promise.all(dropped.map((idle) => this.#end(idle)))
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.drop('')
  }

  #remove(idle: Idle): void {
    clearTimeout(idle.timer)
    this.#idle.delete(idle)
  }

  #end(idle: Idle): Promise<void> {
    this.#remove(idle)
    return idle.connection.close()
  }
}
