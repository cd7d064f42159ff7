import { setTimeout as wait } from 'node:timers/promises'
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import pg from 'pg'
import { errorCode } from '../../lib/describe-error.ts'

/** Milliseconds for which a statement waits for a connection, for example while the server restarts. */
const defaultMaxWaitMs = 10_000
/** Milliseconds between two attempts to connect: at first, and at most. */
const minDelayMs = 50
const maxDelayMs = 500

/** The connection was lost or could not be opened. The `cause` is the error of the driver or of the system. */
export class ConnectionError extends Error {
  readonly code = '08006'

  constructor(cause: unknown) {
    // Node reports a host with several addresses as an AggregateError without a text.
    const reason: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
    super(reason instanceof Error ? reason.message : String(reason), { cause })
    this.name = 'ConnectionError'
  }
}

/** No connection of the pool became free in time. */
export class PoolExhaustedError extends Error {
  readonly code = '53300'
}

/** Codes with which the server closes a connection or refuses a new one for the moment. */
const lostCodes = /^(08|57P0[123]$)/
const refusedCodes = /^(08|57P0[123]$|53300$)/
/** Serialization failure and deadlock: the server has rolled the statement back. */
const conflictCodes = /^(40001|40P01)$/

export interface PostgresPoolOptions extends pg.PoolConfig {
  /** Receives the errors of connections that no query receives. */
  readonly onError: (error: unknown) => void
  /** Milliseconds for which a statement waits for a connection. */
  readonly maxWaitMs?: number
}

/** A pool for Kysely that bridges short interruptions. */
export interface ResilientPool extends PostgresPool {
  /** Rejects when the server does not execute a statement now. It does not retry. */
  check(): Promise<void>
}

/**
 * Opens a pool that tries to connect for `maxWaitMs`. Outside a transaction, it repeats a statement when running it
 * twice does no harm: any statement that the server has rolled back, and a `begin` or a `select` whose connection was
 * lost. A repeated `select` may send a notification twice, which only makes its receivers look again.
 */
export function openPool({
  onError,
  maxWaitMs = defaultMaxWaitMs,
  ...config
}: PostgresPoolOptions): ResilientPool {
  /**
   * A client may emit `error` at any time, also while it connects and while it is checked out. Without a listener, the
   * event would end the process.
   */
  class LoggedClient extends pg.Client {
    constructor(options?: pg.ClientConfig) {
      super(options)
      this.on('error', onError)
    }
  }
  const pool = new pg.Pool({
    keepAlive: true,
    connectionTimeoutMillis: maxWaitMs,
    ...config,
    Client: LoggedClient,
  })
  // The client has reported the error already.
  pool.on('error', () => undefined)

  const connect: Connect = async (deadline) => {
    for (let delayMs = minDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
      try {
        return await pool.connect()
      } catch (error) {
        const failure = toConnectError(error)
        if (pool.ending || !refusedCodes.test(failure.code) || performance.now() + delayMs > deadline) {
          throw failure
        }
      }
      await wait(delayMs)
    }
  }

  return {
    async connect() {
      const client = await connect(performance.now() + maxWaitMs)
      return new ResilientClient(client, maxWaitMs, connect)
    },
    async check() {
      const client = await pool.connect().catch((error: unknown) => {
        throw toConnectError(error)
      })
      try {
        await client.query('select 1')
        client.release()
      } catch (error) {
        client.release(true)
        throw toQueryError(error)
      }
    },
    end: () => pool.end(),
    options: pool.options,
  }
}

type Connect = (deadline: number) => Promise<pg.PoolClient>

/** A checked-out connection. Another one replaces it when it breaks with a statement that may be repeated. */
class ResilientClient implements PostgresPoolClient {
  #client: pg.PoolClient
  readonly #maxWaitMs: number
  readonly #connect: Connect
  #isInTransaction = false
  #isBroken = false
  #isReleased = false

  constructor(client: pg.PoolClient, maxWaitMs: number, connect: Connect) {
    this.#client = client
    this.#maxWaitMs = maxWaitMs
    this.#connect = connect
  }

  query: PostgresPoolClient['query'] = ((text: string, parameters: readonly unknown[]) =>
    text === 'rollback' ? this.#rollBack() : this.#execute(text, parameters)) as PostgresPoolClient['query']

  release(): void {
    if (!this.#isReleased) this.#client.release(this.#isBroken)
  }

  async #execute(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<unknown>> {
    let deadline: number | undefined
    for (;;) {
      try {
        const result = await this.#client.query(text, [...parameters])
        if (text.startsWith('begin')) this.#isInTransaction = true
        else if (text === 'commit') this.#isInTransaction = false
        return result as unknown as PostgresQueryResult<unknown>
      } catch (cause) {
        const error = toQueryError(cause)
        const isLost = lostCodes.test(errorCode(error))
        this.#isBroken ||= isLost
        deadline ??= performance.now() + this.#maxWaitMs
        if (this.#isInTransaction || performance.now() > deadline || !mayRepeat(text, error)) throw error
        if (isLost) await this.#replace(deadline)
      }
    }
  }

  /** Never rejects, so that the error that caused the rollback is thrown. A broken connection has no transaction. */
  async #rollBack(): Promise<PostgresQueryResult<unknown>> {
    try {
      await this.#client.query('rollback')
    } catch {
      this.#isBroken = true
    }
    this.#isInTransaction = false
    return { command: 'UPDATE', rowCount: 0, rows: [] }
  }

  async #replace(deadline: number): Promise<void> {
    this.#client.release(true)
    this.#isReleased = true
    this.#client = await this.#connect(deadline)
    this.#isReleased = false
    this.#isBroken = false
  }
}

function mayRepeat(text: string, error: unknown): boolean {
  const code = errorCode(error)
  if (conflictCodes.test(code)) return true
  return lostCodes.test(code) && (text === 'begin' || /^\s*select\b/i.test(text))
}

/** Errors of the server keep their code. All others mean that there is no connection. */
function toConnectError(error: unknown): Error & { readonly code: string } {
  if (error instanceof pg.DatabaseError && error.code !== undefined) {
    return error as pg.DatabaseError & { readonly code: string }
  }
  if (error instanceof Error && error.message.startsWith('timeout exceeded')) {
    return new PoolExhaustedError(error.message, { cause: error })
  }
  return new ConnectionError(error)
}

/** Texts of the driver, which gives these errors no code. */
const lostTexts = /^(Connection terminated|Client has encountered a connection error|Client was closed)/

function toQueryError(error: unknown): unknown {
  if (error instanceof pg.DatabaseError || !(error instanceof Error)) return error
  // An error with `syscall` is from the socket.
  return lostTexts.test(error.message) || 'syscall' in error ? new ConnectionError(error) : error
}
