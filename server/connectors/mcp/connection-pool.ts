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

/** Returns the key of the connection with the server's session of a chat. */
export function sessionKey(
  connector: Pick<ConnectorRow, 'user_id' | 'id' | 'credential_version'>,
  chatId: string,
): string {
  return `${connectionKey(connector)} ${chatId}`
}

type PoolLimits = Pick<
  ConnectorLimits,
  'maxIdleMs' | 'maxIdleConnections' | 'maxSessionsPerUser' | 'maxSessions'
>

interface Idle {
  readonly key: string
  readonly connection: ServerConnection
  /** Undefined for the session of a chat, which is kept. */
  readonly timer: NodeJS.Timeout | undefined
}

/**
 * The connections that no request uses. A connection serves one request at a time, so that every response and
 * elicitation belongs to that request; a concurrent request opens another connection. The session of a chat is kept as
 * long as its server keeps it, because it contains what earlier calls have opened there. Not a cache library, because
 * those store one value per key and here a key can have several.
 */
export class ConnectionPool {
  readonly #limits: PoolLimits
  /** In order of release, the oldest first. */
  readonly #idle = new Set<Idle>()
  /** The keys of the connections in use; undefined once the key was dropped. */
  readonly #used = new Map<ServerConnection, string | undefined>()
  /** The connections that are being closed. */
  readonly #ending = new Set<Promise<void>>()
  #closed = false

  /** Beyond these limits, the connection that has been unused longest is closed. */
  constructor(limits: PoolLimits) {
    this.#limits = limits
  }

  /** Removes an unused connection from the pool and returns it. The caller passes it to `begin`. */
  acquire(
    key: string,
    accepts: (connection: ServerConnection) => boolean = () => true,
  ): ServerConnection | undefined {
    for (const idle of this.#idle) {
      if (idle.key !== key || !accepts(idle.connection)) continue
      this.#remove(idle)
      if (idle.connection.usable) return idle.connection
    }
    return undefined
  }

  /** Notes that a connection is in use, until `release` or `discard`. */
  begin(key: string, connection: ServerConnection): void {
    this.#used.set(connection, key)
  }

  /**
   * Ends the use of a connection. It is kept for another request with this key, unless it is broken or its key was
   * dropped meanwhile. With `isSession` it is kept without a time limit.
   */
  release(key: string, connection: ServerConnection, isSession = false): void {
    const isDropped = this.#used.has(connection) && this.#used.get(connection) === undefined
    this.#used.delete(connection)
    if (this.#closed || isDropped || !connection.usable) return this.#close(connection)
    const timer = isSession ? undefined : setTimeout(() => this.#end(idle), this.#limits.maxIdleMs)
    timer?.unref()
    const idle: Idle = { key, connection, timer }
    this.#idle.add(idle)
    const { maxIdleConnections, maxSessionsPerUser, maxSessions } = this.#limits
    if (!isSession) return this.#limit(maxIdleConnections, ({ timer: other }) => other !== undefined)
    const owner = userPrefix(key.split(' ')[0] ?? '')
    this.#limit(maxSessionsPerUser, (other) => other.timer === undefined && other.key.startsWith(owner))
    this.#limit(maxSessions, ({ timer: other }) => other === undefined)
  }

  /** Ends the use of a connection, and closes it. */
  discard(connection: ServerConnection): void {
    this.#used.delete(connection)
    this.#close(connection)
  }

  /** Closes the connections whose key starts with `prefix`, and those in use as soon as they are released. */
  async drop(prefix: string): Promise<void> {
    for (const [connection, key] of this.#used)
      if (key?.startsWith(prefix) === true) this.#used.set(connection, undefined)
    for (const idle of this.#idle) if (idle.key.startsWith(prefix)) this.#end(idle)
    await Promise.all(this.#ending)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.drop('')
  }

  #limit(max: number, counts: (idle: Idle) => boolean): void {
    const counted = [...this.#idle].filter(counts)
    for (const idle of counted.slice(0, Math.max(0, counted.length - max))) this.#end(idle)
  }

  #remove(idle: Idle): void {
    clearTimeout(idle.timer)
    this.#idle.delete(idle)
  }

  #end(idle: Idle): void {
    this.#remove(idle)
    this.#close(idle.connection)
  }

  #close(connection: ServerConnection): void {
    const ending = connection.close().finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
  }
}
