import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { errorCode } from '../../lib/describe-error.ts'
import type {
  ChangeNotification,
  Database,
  Dialect,
  NotificationListeners,
  Subscription,
} from '../database.ts'
import type { StorageProblem } from '../storage-problem.ts'
import type { Tables } from '../tables/tables.ts'
import { ConnectionError, openPool } from './postgres-pool.ts'
import { queueFoldedAgainSql, searchIndexSchema } from './postgres-search.ts'

/** The channel for notifications about runs. */
const runChannel = 'yonder_runs'
/** The most runs in one notification of `appendRunEvents`, because PostgreSQL limits a notification to 8,000 bytes. */
const maxNotifiedRuns = 300
/** The channels for other changes. */
const changeChannels: Readonly<Record<ChangeNotification['topic'], string>> = {
  chat: 'yonder_chats',
  settings: 'yonder_settings',
}

export interface PostgresOptions {
  /** Connections of the pool. A subscription has its own. */
  readonly maxConnections?: number
  /** The schema to use instead of the role's own. */
  readonly schema?: string
  /** Milliseconds for which a statement waits for a connection. */
  readonly maxWaitMs?: number
  /** Receives the errors of connections that no query receives. */
  readonly onError?: (error: unknown) => void
}

/** Opens a pool. It connects with the first query. */
export function openPostgres(
  url: string,
  { maxConnections = 10, schema, maxWaitMs, onError = () => undefined }: PostgresOptions = {},
): Database {
  const pool = openPool({
    connectionString: url,
    max: maxConnections,
    onError,
    ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
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
    check: () => pool.check(),
    subscribe: (listeners) => listenForNotifications(url, listeners, onError),
    close: () => db.destroy(),
  }
}

const reconnectDelayMs = 1_000

/** Listens on its own connection and reconnects when it breaks. */
function listenForNotifications(
  url: string,
  { onRuns, onChange, onGap }: NotificationListeners,
  onError: (error: unknown) => void,
): Subscription {
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let broken = false
  let closed = false

  function connect(): void {
    const next = new pg.Client({ connectionString: url, keepAlive: true })
    client = next
    const retry = (cause?: unknown): void => {
      if (client !== next || closed) return
      client = undefined
      // Logged once for each interruption.
      if (!broken) onError(new ConnectionError(cause ?? 'The connection for notifications was closed.'))
      broken = true
      // The connection is broken already, so errors while it is closed do not matter.
      next.end().catch(() => undefined)
      timer = setTimeout(connect, reconnectDelayMs)
    }
    next.on('error', retry)
    next.on('end', () => retry())
    next.on('notification', ({ channel, payload = '' }) => {
      if (channel === runChannel) return onRuns(payload.split(',').map(Number))
      const [nodeId = '', userId = '', subject = ''] = payload.split(',')
      const topic = channel === changeChannels.chat ? 'chat' : 'settings'
      onChange({ topic, nodeId, userId, subject })
    })
    listen(next).catch(retry)
  }

  async function listen(next: pg.Client): Promise<void> {
    await next.connect()
    await next.query(
      `select pg_advisory_lock_shared(${serverLock}); listen ${runChannel}; listen ${changeChannels.chat}; listen ${changeChannels.settings}`,
    )
    if (broken) onGap()
    broken = false
  }

  connect()
  return {
    async close() {
      closed = true
      clearTimeout(timer)
      await client?.end().catch(() => undefined)
    },
  }
}

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

/** Arbitrary constants that identify Yonder's locks among the advisory locks of a database. */
const migrationLock = 7_046_110
/** Every node shares it on its connection for notifications. Installations in other schemas have locks of their own. */
const serverLock = `7046111, hashtext(current_schema())`

/**
 * The problems by PostgreSQL's error codes. A statement outside a transaction is repeated after a `conflict` for some
 * seconds (`postgres-pool.ts`), so mostly only statements in transactions report one.
 */
const problems: readonly (readonly [codes: RegExp, problem: StorageProblem])[] = [
  [/^53100$/, 'full'],
  [/^(58030|25006)$/, 'unwritable'],
  [/^53[234]00$/, 'busy'],
  [/^(57014|55P03|25P0[34])$/, 'timeout'],
  [/^(40001|40P01)$/, 'conflict'],
  // To users, a refused password or a missing database is the same as a server that does not respond.
  [/^(08...|57P0[1-5]|28...|3D000)$/, 'unreachable'],
]

function findPostgresProblem(code: string): StorageProblem | null {
  return problems.find(([codes]) => codes.test(code))?.[1] ?? null
}

/** PostgreSQL 15 or newer. */
export const postgresDialect: Dialect = {
  kind: 'postgres',
  integer: 'bigint',
  incrementingKey: 'bigserial primary key',
  async lockMigrations(trx) {
    await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(trx)
  },
  async lockOutServers(trx) {
    const { rows } = await sql<{
      locked: boolean
    }>`select pg_try_advisory_xact_lock(${sql.raw(serverLock)}) as locked`.execute(trx)
    return rows[0]?.locked === true
  },
  beginSnapshotSql: 'begin isolation level repeatable read read only',
  searchIndexSchema,
  searchAgainSql: [queueFoldedAgainSql],
  clock: sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
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
    await sql`select pg_notify(${changeChannels[topic]}, ${`${nodeId},${userId},${subject}`})`.execute(db)
  },
  isUniqueViolation: (error) => errorCode(error) === '23505',
  findProblem: (error) => findPostgresProblem(errorCode(error)),
}
