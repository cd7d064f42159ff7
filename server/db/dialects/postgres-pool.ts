import type { Duplex } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import pg from 'pg'
import { errorCode } from '../../lib/describe-error.ts'

/** Milliseconds for which a statement waits for a connection, for example while the server restarts. */
const defaultMaxWaitMs = 10_000
/** Milliseconds between two attempts to connect: at first, and at most. */
const minDelayMs = 50
const maxDelayMs = 500
/** Milliseconds of one statement, unless its transaction sets another `statement_timeout`. */
const defaultMaxStatementMs = 10_000
/** Milliseconds for which a statement waits for a lock, so that its caller learns sooner what blocks it. */
const maxLockMs = 5_000
/**
 * The server ends a long statement, and its message says so. This many times as long after the start, the connection
 * counts as lost: a frozen server or a network that drops packets sends nothing.
 */
const silenceFactor = 1.2
/** Milliseconds for a statement that the server executes at once, so that a dead connection is replaced soon. */
const maxProbeMs = 2_000
/** Milliseconds after which an idle connection is tested before it is used. */
const maxUntestedMs = 1_000
/** Milliseconds after which the server ends an idle session: its client is dead, since the pool ends them sooner. */
const maxIdleMs = 60_000
/** Milliseconds without traffic after which the system tests an open connection. */
const keepAliveMs = 10_000

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

/**
 * The connection was lost during a commit, and the server could not be asked in time whether it was made. SQLSTATE calls
 * it `transaction_resolution_unknown`.
 */
export class UnknownCommitError extends Error {
  readonly code = '08007'
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
  /** Milliseconds of one statement, and of a pause within a transaction. */
  readonly maxStatementMs?: number
  /** Milliseconds after which a statement of this text has lost its connection. Undefined for the usual limit. */
  readonly limitOf?: (text: string) => number | undefined
}

/** A pool for Kysely that bridges short interruptions. */
export interface ResilientPool extends PostgresPool {
  /** Executes a statement on any connection, within `maxMs`. It does not retry. */
  check(text: string, maxMs: number): Promise<void>
}

/**
 * Opens a pool that tries to connect for `maxWaitMs`. Outside a transaction, it repeats a statement when running it
 * twice does no harm: any statement that the server has rolled back, and a `begin` or a `select` whose connection was
 * lost. A repeated `select` may send a notification twice, which only makes its receivers look again.
 *
 * Every wait ends: for a connection, for a lock, and for a server that is silent. When the connection is lost during a
 * commit, the server is asked on another one whether the transaction was committed. The result of a commit is therefore
 * the truth, or an `UnknownCommitError`.
 */
export function openPool({
  onError,
  maxWaitMs = defaultMaxWaitMs,
  maxStatementMs = defaultMaxStatementMs,
  limitOf = () => undefined,
  ...config
}: PostgresPoolOptions): ResilientPool {
  const probeMs = Math.min(maxProbeMs, maxStatementMs)
  /** When each connection last responded, and when one was last found to be silent, on the clock of `performance`. */
  const respondedAt = new WeakMap<pg.ClientBase, number>()
  let silentAt = -Infinity

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
    keepAliveInitialDelayMillis: keepAliveMs,
    connectionTimeoutMillis: maxWaitMs,
    ...config,
    Client: LoggedClient,
  })
  // The client has reported the error already.
  pool.on('error', () => undefined)

  /** Sends one statement. When the server is silent for `maxMs`, the connection counts as lost, and is ended. */
  async function send(
    client: pg.ClientBase,
    text: string,
    parameters: readonly unknown[],
    maxMs: number,
  ): Promise<PostgresQueryResult<unknown>> {
    let isSilent = false
    const timer = setTimeout(() => {
      isSilent = true
      silentAt = performance.now()
      cutConnection(client)
    }, maxMs)
    try {
      const result = await client.query(text, [...parameters])
      respondedAt.set(client, performance.now())
      return result as unknown as PostgresQueryResult<unknown>
    } catch (cause) {
      throw isSilent ? new ConnectionError(`PostgreSQL was silent for ${maxMs} ms.`) : toQueryError(cause)
    } finally {
      clearTimeout(timer)
    }
  }

  /** With statements and not with parameters of the connection, because poolers refuse those. */
  async function limitSession(client: pg.ClientBase): Promise<void> {
    const lockMs = Math.min(maxLockMs, maxStatementMs)
    const limits = {
      statement_timeout: maxStatementMs,
      lock_timeout: lockMs,
      idle_in_transaction_session_timeout: maxStatementMs,
      idle_session_timeout: maxIdleMs,
    }
    const text = Object.entries(limits).map(([name, value]) => `set ${name} = ${value}`)
    await send(client, text.join('; '), [], probeMs)
  }

  /** Whether a connection that has responded before may be used: it did so lately, or does so now. */
  async function isAlive(client: pg.ClientBase, lastMs: number): Promise<boolean> {
    // What silenced one connection has mostly silenced all that were open then.
    if (lastMs < silentAt) return false
    if (performance.now() - lastMs < maxUntestedMs) return true
    return send(client, 'select 1', [], probeMs).then(
      () => true,
      () => false,
    )
  }

  async function acquire(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await pool.connect().catch((error: unknown) => {
        throw toConnectError(error)
      })
      const lastMs = respondedAt.get(client)
      try {
        if (lastMs === undefined) await limitSession(client)
        if (lastMs === undefined || (await isAlive(client, lastMs))) return client
      } catch (error) {
        discard(client)
        throw error
      }
      discard(client)
    }
  }

  const connect: Connect = async (deadline) => {
    for (let delayMs = minDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
      try {
        return await acquire()
      } catch (error) {
        const isLasting = !refusedCodes.test(errorCode(error))
        if (pool.ending || isLasting || performance.now() + delayMs > deadline) throw error
      }
      await wait(delayMs)
    }
  }

  return {
    async connect() {
      const client = await connect(performance.now() + maxWaitMs)
      return new ResilientClient(client, {
        maxWaitMs,
        connect,
        send,
        probeMs,
        limitOf: (text) => limitOf(text) ?? maxStatementMs * silenceFactor,
      })
    },
    async check(text, maxMs) {
      const client = await acquire()
      try {
        await send(client, text, [], maxMs)
        client.release()
      } catch (error) {
        discard(client)
        throw error
      }
    },
    end: () => pool.end(),
    options: pool.options,
  }
}

/** Ends a connection without waiting for the server, which may be silent. */
export function cutConnection(client: pg.ClientBase): void {
  const { connection } = client as unknown as { readonly connection: { readonly stream: Duplex } }
  connection.stream.destroy()
}

function discard(client: pg.PoolClient): void {
  cutConnection(client)
  client.release(true)
}

type Connect = (deadline: number) => Promise<pg.PoolClient>

interface ResilientClientOptions {
  readonly maxWaitMs: number
  readonly connect: Connect
  readonly send: (
    client: pg.ClientBase,
    text: string,
    parameters: readonly unknown[],
    maxMs: number,
  ) => Promise<PostgresQueryResult<unknown>>
  readonly probeMs: number
  /** Milliseconds after which a statement has lost its connection. */
  readonly limitOf: (text: string) => number
}

/** Begins a transaction with the number by which its outcome can be asked for. */
const beginSql = 'begin; select pg_current_xact_id()::text as id'

/** A checked-out connection. Another one replaces it when it breaks with a statement that may be repeated. */
class ResilientClient implements PostgresPoolClient {
  #client: pg.PoolClient
  readonly #options: ResilientClientOptions
  #isInTransaction = false
  /** The number of the open transaction, if it may write. */
  #transactionId: string | undefined
  /** The limit that the open transaction has set for its statements. */
  #maxStatementMs: number | undefined
  #isBroken = false
  #isReleased = false

  constructor(client: pg.PoolClient, options: ResilientClientOptions) {
    this.#client = client
    this.#options = options
  }

  query: PostgresPoolClient['query'] = ((text: string, parameters: readonly unknown[]) => {
    if (text === 'rollback') return this.#rollBack()
    return text === 'commit' ? this.#commit() : this.#execute(text, parameters)
  }) as PostgresPoolClient['query']

  release(): void {
    if (this.#isReleased) return
    if (this.#isBroken) discard(this.#client)
    else this.#client.release()
  }

  async #execute(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<unknown>> {
    let deadline: number | undefined
    for (;;) {
      try {
        return await this.#send(text, parameters)
      } catch (error) {
        const isLost = lostCodes.test(errorCode(error))
        this.#isBroken ||= isLost
        deadline ??= performance.now() + this.#options.maxWaitMs
        if (this.#isInTransaction || performance.now() > deadline || !mayRepeat(text, error)) throw error
        if (isLost) await this.#replace(deadline)
      }
    }
  }

  async #send(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<unknown>> {
    const { send, probeMs, limitOf } = this.#options
    if (text.startsWith('begin')) {
      const isWriting = text === 'begin'
      const result = await send(this.#client, isWriting ? beginSql : text, parameters, probeMs).catch(
        (error: unknown) => {
          // The transaction may have begun.
          this.#isBroken = true
          throw error
        },
      )
      this.#isInTransaction = true
      this.#maxStatementMs = undefined
      // A text of several statements has several results.
      const [, numbered] = [result].flat() as readonly PostgresQueryResult<{ readonly id: string }>[]
      this.#transactionId = numbered?.rows[0]?.id
      return { command: 'UPDATE', rowCount: 0, rows: [] }
    }
    const set = /^set local statement_timeout = (\d+)/.exec(text)
    if (set !== null) this.#maxStatementMs = Number(set[1]) * silenceFactor
    return send(this.#client, text, parameters, this.#maxStatementMs ?? limitOf(text))
  }

  async #commit(): Promise<PostgresQueryResult<unknown>> {
    const id = this.#transactionId
    try {
      return await this.#send('commit', [])
    } catch (error) {
      if (!lostCodes.test(errorCode(error))) throw error
      this.#isBroken = true
      if (id === undefined || !(await this.#wasCommitted(id, error))) throw error
      return { command: 'COMMIT', rowCount: 0, rows: [] } as unknown as PostgresQueryResult<unknown>
    } finally {
      this.#isInTransaction = false
    }
  }

  /**
   * Whether a transaction was committed whose connection was lost. If it is still open, the server is made to end it.
   * @throws UnknownCommitError
   */
  async #wasCommitted(id: string, cause: unknown): Promise<boolean> {
    const { maxWaitMs, send, probeMs } = this.#options
    const deadline = performance.now() + maxWaitMs
    for (
      let delayMs = minDelayMs;
      performance.now() < deadline;
      delayMs = Math.min(2 * delayMs, maxDelayMs)
    ) {
      try {
        await this.#replace(deadline)
        const result = await send(this.#client, outcomeSql, [id], probeMs)
        const [row] = result.rows as readonly { readonly status: string | null }[]
        if (row?.status !== 'in progress') return row?.status === 'committed'
      } catch {
        this.#isBroken = true
      }
      await wait(delayMs)
    }
    throw new UnknownCommitError('The connection was lost during a commit.', { cause })
  }

  /** Never rejects, so that the error that caused the rollback is thrown. A broken connection has no transaction. */
  async #rollBack(): Promise<PostgresQueryResult<unknown>> {
    try {
      if (!this.#isBroken) await this.#send('rollback', [])
    } catch {
      this.#isBroken = true
    }
    this.#isInTransaction = false
    return { command: 'UPDATE', rowCount: 0, rows: [] }
  }

  async #replace(deadline: number): Promise<void> {
    if (!this.#isReleased) discard(this.#client)
    this.#isReleased = true
    this.#client = await this.#options.connect(deadline)
    this.#isReleased = false
    this.#isBroken = false
  }
}

/** The outcome of a transaction. The server ends its session if it is still open. */
const outcomeSql = `
  select pg_xact_status($1::xid8) as status,
    (select count(pg_terminate_backend(pid)) from pg_stat_activity where backend_xid = $1::xid8::xid) as ended`

function mayRepeat(text: string, error: unknown): boolean {
  const code = errorCode(error)
  if (conflictCodes.test(code)) return true
  return lostCodes.test(code) && (text.startsWith('begin') || /^\s*select\b/i.test(text))
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
