import { randomBytes } from 'node:crypto'
import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { waitAtMost } from '../../lib/abort.ts'
import { errorCode } from '../../lib/describe-error.ts'
import { repeatUntilStopped } from '../../lib/repeat-until-stopped.ts'
import type {
  ChangeNotification,
  Database,
  Db,
  Dialect,
  NotificationListeners,
  Subscription,
} from '../database.ts'
import { TableBytes } from '../files/table-bytes.ts'
import { listChanges, listLiveNodes } from '../node-store.ts'
import type { Tables } from '../tables/tables.ts'
import { ConnectionError, cutConnection, openPool } from './postgres-pool.ts'
import { queueFoldedAgainSql, searchIndexSchema } from './postgres-search.ts'

/** The channel for notifications about runs. */
const runChannel = 'yonder_runs'
/** The most runs in one notification of `appendRunEvents`, because PostgreSQL limits a notification to 8,000 bytes. */
const maxNotifiedRuns = 300
/** The channels for other changes. */
const changeChannels: Readonly<Record<ChangeNotification['topic'], string>> = {
  chat: 'yonder_chats',
  list: 'yonder_chat_list',
  settings: 'yonder_settings',
}
const changeTopics = ['chat', 'list', 'settings'] as const

export interface PostgresOptions {
  /** Connections of the pool. A subscription has its own. */
  readonly maxConnections?: number
  /** The schema to use instead of the role's own. */
  readonly schema?: string
  /** Milliseconds for which a statement waits for a connection. */
  readonly maxWaitMs?: number
  /** Milliseconds of one statement, and of a pause within a transaction. */
  readonly maxStatementMs?: number
  /** Milliseconds between two tests of the connection for notifications. */
  readonly echoIntervalMs?: number
  /** Receives the errors of connections that no query receives. */
  readonly onError?: (error: unknown) => void
}

/** Milliseconds for a commit of the run log, which repeats it. Mostly it takes a few. */
const maxAppendMs = 5_000

/** Opens a pool. It connects with the first query. */
export function openPostgres(
  url: string,
  {
    maxConnections = 10,
    schema,
    echoIntervalMs = defaultEchoIntervalMs,
    onError = () => undefined,
    ...limits
  }: PostgresOptions = {},
): Database {
  const pool = openPool({
    connectionString: url,
    max: maxConnections,
    onError,
    ...limits,
    limitOf: (text) => (text === appendEventsSql ? maxAppendMs : undefined),
    ...(schema === undefined ? {} : { options: `-c search_path=${schema},public` }),
    types: {
      // Stored integers, such as times and positions, are below 2^53, so a `bigint` is read as a number.
      getTypeParser: (type, format) =>
        type === pg.types.builtins.INT8
          ? Number
          : (pg.types.getTypeParser(type, format) as (text: string) => unknown),
    },
  })
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return {
    db,
    dialect: postgresDialect,
    file: null,
    bytes: new TableBytes(db),
    check: (maxMs) => pool.check(checkSql, maxMs),
    subscribe(listeners) {
      const sendFromPool = (text: string) => pool.check(text, echoIntervalMs)
      return listenForNotifications(url, listeners, { db, sendFromPool, echoIntervalMs, onError })
    },
    close: () => db.destroy(),
  }
}

/**
 * Proves that the server writes: a row that stays the same, and a temporary file of about a megabyte, because on a full
 * disk the log and the tables may still have room for the row. One text is one transaction.
 */
const checkSql = `
  set local work_mem = '64kB';
  update installation set issuer = issuer;
  select count(*) from generate_series(1, 50000)`

/** Milliseconds between two tests of the connection for notifications, and for the response to each. */
const defaultEchoIntervalMs = 5_000
/** Milliseconds between two attempts to connect: at first, and at most. */
const reconnectDelayMs = 1_000
const maxReconnectDelayMs = 15_000
/** Milliseconds for the end of the connection for notifications. */
const maxEndMs = 1_000

/** Milliseconds between two reads of the changes while notifications do not arrive, and the age of the oldest read. */
const changePollMs = 1_000
const maxChangeAgeMs = 10_000

interface SubscriptionOptions {
  readonly db: Kysely<Tables>
  /** Executes a statement on another connection. */
  readonly sendFromPool: (text: string) => Promise<void>
  readonly echoIntervalMs: number
  readonly onError: (error: unknown) => void
}

/**
 * Listens on its own connection, which gets a test notification at intervals. When one does not arrive, the connection is
 * replaced: it may be dead without an error, or lead to a pooler that receives the notifications for somebody else. The
 * first one comes from another connection, because behind a pooler both may share one of the server, and this one then
 * receives what it sends itself. Until it has arrived, changes are polled, and runs are polled in any case.
 */
function listenForNotifications(
  url: string,
  { onRuns, onChange, onGap }: NotificationListeners,
  { db, sendFromPool, echoIntervalMs, onError }: SubscriptionOptions,
): Subscription {
  const echoChannel = `yonder_echo_${randomBytes(8).toString('hex')}`
  const listenSql = `
    set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3;
    ${[runChannel, ...Object.values(changeChannels), echoChannel].map((channel) => `listen ${channel}`).join(';')}`
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let delayMs = reconnectDelayMs
  let broken = false
  let mustPoll = true
  let closed = false
  const changes = new RecentChanges(db)
  const stopPolling = repeatUntilStopped(
    async () => {
      // Errors are those of the database, which the connection for notifications reports.
      if (!mustPoll) changes.forget()
      else for (const change of await changes.readNew().catch(() => [])) onChange(change)
    },
    changePollMs,
    onError,
  )

  function connect(): void {
    const next = new pg.Client({
      connectionString: url,
      keepAlive: true,
      connectionTimeoutMillis: echoIntervalMs,
    })
    client = next
    let isAwaited = true
    const retry = (cause?: unknown): void => {
      if (client !== next || closed) return
      client = undefined
      clearTimeout(timer)
      // Logged once for each interruption.
      if (!broken) onError(new ConnectionError(cause ?? 'The connection for notifications was closed.'))
      broken = true
      cutConnection(next)
      timer = setTimeout(connect, delayMs)
      delayMs = Math.min(2 * delayMs, maxReconnectDelayMs)
    }
    // Behind a pooler, this connection may receive what was sent to an earlier one.
    const echo = randomBytes(8).toString('hex')
    const echoSql = `select pg_notify('${echoChannel}', '${echo}')`
    const sendEcho = async (): Promise<void> => {
      isAwaited = true
      await next.query(echoSql)
    }
    const test = (): void => {
      if (isAwaited) {
        mustPoll = true
        return retry(
          'The connection for notifications receives none, as behind a pooler in transaction mode. Changes on other servers are read every second instead.',
        )
      }
      timer = setTimeout(test, echoIntervalMs)
      sendEcho().catch(retry)
    }
    const listen = async (): Promise<void> => {
      await next.connect()
      await next.query(listenSql)
      await sendFromPool(echoSql)
    }
    next.on('error', retry)
    next.on('end', () => retry())
    next.on('notification', ({ channel, payload = '' }) => {
      if (channel === runChannel) return onRuns(payload.split(',').map(Number))
      if (channel === echoChannel) {
        if (payload !== echo) return
        isAwaited = false
        delayMs = reconnectDelayMs
        if (broken) onGap()
        broken = false
        mustPoll = false
        return
      }
      const [nodeId = '', userId = '', subject = ''] = payload.split(',')
      const topic = changeTopics.find((known) => channel === changeChannels[known])
      if (topic !== undefined) onChange({ topic, nodeId, userId, subject })
    })
    timer = setTimeout(test, echoIntervalMs)
    listen().catch(retry)
  }

  connect()
  return {
    async close() {
      closed = true
      clearTimeout(timer)
      await stopPolling()
      const open = client
      if (open === undefined) return
      await waitAtMost(
        open.end().catch(() => undefined),
        maxEndMs,
      )
      cutConnection(open)
    },
  }
}

/** Reads what other servers have notified, for a server whose notifications do not arrive. */
class RecentChanges {
  readonly #db: Kysely<Tables>
  /** The ids of those that were read; undefined before the first read, which tells nothing. */
  #seen: ReadonlySet<number> | undefined

  constructor(db: Kysely<Tables>) {
    this.#db = db
  }

  forget(): void {
    this.#seen = undefined
  }

  /** By age and not by id, because a transaction with a lower id may commit later. */
  async readNew(): Promise<readonly ChangeNotification[]> {
    const rows = await listChanges(this.#db, postgresDialect, maxChangeAgeMs)
    const seen = this.#seen
    this.#seen = new Set(rows.map(({ id }) => id))
    return seen === undefined ? [] : rows.filter(({ id }) => !seen.has(id))
  }
}

/**
 * Whether notifications arrive at this address. They do not behind a pooler that gives a connection of the server to
 * another client after each transaction.
 * @throws the error of the driver when it cannot connect
 */
export async function receivesNotifications(url: string): Promise<boolean> {
  const channel = `yonder_echo_${randomBytes(8).toString('hex')}`
  const clients = [0, 1].map(() => new pg.Client({ connectionString: url }))
  const [listener, sender] = clients
  const received = Promise.withResolvers<void>()
  let isReceived = false
  listener?.on('notification', () => {
    isReceived = true
    received.resolve()
  })
  try {
    for (const client of clients) await client.connect()
    await listener?.query(`listen ${channel}`)
    await sender?.query(`select pg_notify('${channel}', '')`)
    await waitAtMost(received.promise, maxEchoMs)
    return isReceived
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)))
  }
}

/** Milliseconds for which `receivesNotifications` waits. */
const maxEchoMs = 1_000

/*
 * The lock of the runs makes sure that closing an expired run (`lockRun`) waits for this commit, or that this statement
 * finds the run closed. Renewing a lease does not wait for it. `notified` is counted, because PostgreSQL executes a
 * SELECT in WITH only as far as it is read.
 */
const appendEventsSql = `
  with live as (
    select id from runs where id = any($1::bigint[]) and node_id = $2 and status = 'running' order by id for key share
  ), written as (
    insert into run_events (run_id, seq, event)
    select e.run_id, e.seq, e.event from unnest($3::bigint[], $4::bigint[], $5::text[]) as e (run_id, seq, event)
    join live on live.id = e.run_id
    on conflict (run_id, seq) do nothing
  ), parts as (
    select id, (row_number() over (order by id) - 1) / ${maxNotifiedRuns} as part from live
  ), notified as (
    select pg_notify('${runChannel}', string_agg(id::text, ',')) from parts group by part
  )
  select coalesce((select array_agg(id) from live), '{}') as ids, (select count(*) from notified) as notifications`

/** Milliseconds for a statement of a migration. */
const maxMigrationMs = 3_600_000

/** An arbitrary constant that identifies Yonder's lock among the advisory locks of a database. */
const migrationLock = 7_046_110
/** The same for the deletion of chats, in each schema. */
const purgeLock = `7046112, hashtext(current_schema())`
/** Servers of versions without the table `nodes` shared this lock while they ran. */
const formerServerLock = `7046111, hashtext(current_schema())`

/** Takes an advisory lock until the transaction ends. Returns false when another one has it. */
async function tryLock(trx: Db, lock: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${sql.raw(lock)}) as locked`.execute(trx)
  return rows[0]?.locked === true
}

/** PostgreSQL 15 or newer. */
export const postgresDialect: Dialect = {
  kind: 'postgres',
  integer: 'bigint',
  incrementingKey: 'bigserial primary key',
  async lockMigrations(trx) {
    // Another node may be migrating, and a migration may rewrite large tables.
    await sql.raw(`set local statement_timeout = ${maxMigrationMs}`).execute(trx)
    await sql`set local lock_timeout = 0`.execute(trx)
    await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(trx)
  },
  async lockOutServers(trx) {
    await postgresDialect.lockMigrations(trx)
    const { rows } = await sql<{ registers: boolean }>`
      select to_regclass('nodes') is not null as registers`.execute(trx)
    if (rows[0]?.registers === true) return (await listLiveNodes(trx, postgresDialect)).length === 0
    return tryLock(trx, formerServerLock)
  },
  lockPurge: (trx) => tryLock(trx, purgeLock),
  beginSnapshotSql: 'begin isolation level repeatable read read only',
  searchIndexSchema,
  searchAgainSql: [queueFoldedAgainSql],
  searchMergeSql: [],
  clock: sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
  lockInOrder: sql`order by id collate "C" for no key update`,
  lockRows: sql`for update`,
  async appendRunEvents(db, nodeId, events) {
    const runIds = [...new Set(events.map((event) => event.run_id))]
    const written = await db.executeQuery<{ ids: (number | string)[] }>(
      CompiledQuery.raw(appendEventsSql, [
        runIds,
        nodeId,
        events.map((event) => event.run_id),
        events.map((event) => event.seq),
        events.map((event) => event.event),
      ]),
    )
    // The driver returns the elements of a bigint array as text.
    return new Set(written.rows[0]?.ids.map(Number))
  },
  async lockRun(trx, runId) {
    await sql`select id from runs where id = ${runId} for update`.execute(trx)
  },
  async notifyRuns(db, runIds) {
    await sql`select pg_notify(${runChannel}, ${runIds.join(',')})`.execute(db)
  },
  async notifyChange(db, { topic, nodeId, userId, subject }) {
    await sql`
      with written as (
        insert into changes (topic, node_id, user_id, subject, created_at)
        values (${topic}, ${nodeId}, ${userId}, ${subject}, ${postgresDialect.clock})
      )
      select pg_notify(${changeChannels[topic]}, ${`${nodeId},${userId},${subject}`})`.execute(db)
  },
  isUniqueViolation: (error) => errorCode(error) === '23505',
}
