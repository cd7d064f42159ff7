import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { AppError } from '../lib/app-error.ts'
import { createDataFolder, createPrivateFile } from './data-folder.ts'
import type { Database } from './database.ts'
import type { PostgresOptions } from './dialects/postgres.ts'
import { isDiskFull } from './disk-space.ts'
import { moveFormerFiles } from './files/move-former-files.ts'
import { migrate } from './migrate.ts'
import { adviseOperator, findStorageProblem, toOperatorError } from './storage-problem.ts'

export interface DatabaseOptions {
  /** A PostgreSQL address. Null for SQLite in `dataDir`. */
  readonly databaseUrl: string | null
  readonly dataDir: string
}

/** How PostgreSQL is used. */
export type ConnectionOptions = Pick<
  PostgresOptions,
  'onError' | 'maxWaitMs' | 'maxStatementMs' | 'echoIntervalMs'
>

/** Milliseconds for a statement of a command, which may copy or delete everything. */
const maxCommandMs = 3_600_000

/** The name of the SQLite file in the data folder. */
export const sqliteFileName = 'yonder.sqlite'

/**
 * Opens the configured database, creates a missing SQLite file, and runs the missing migrations.
 * @throws AppError when it cannot be opened, or is of a newer version
 */
export async function openDatabase(
  { databaseUrl, dataDir }: DatabaseOptions,
  options: ConnectionOptions = {},
): Promise<Database> {
  const database =
    databaseUrl === null
      ? await openSqliteLazily(createDatabaseFile(dataDir))
      : await openPostgresLazily(databaseUrl, options)
  try {
    await migrate(database)
    await moveFormerFiles(database)
    return database
  } catch (error) {
    await database.close()
    if (adviseOperator(error) === null) throw error
    if (databaseUrl !== null) throw createOpenError('The PostgreSQL database', error)
    const path = join(dataDir, sqliteFileName)
    throw createOpenError(`The database ${path}`, withDiskSpace(error, path))
  }
}

/** On a full disk, SQLite may report only that the disk failed. */
function withDiskSpace(error: unknown, path: string): unknown {
  if (findStorageProblem(error) !== 'unwritable' || !isDiskFull(path)) return error
  return Object.assign(new Error('the disk is full', { cause: error }), { code: 'SQLITE_FULL' })
}

function createOpenError(database: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const advice = adviseOperator(cause)
  return new AppError(
    'unavailable',
    `${database} cannot be opened: ${reason}.${advice === null ? '' : ` ${advice}`}`,
    { cause },
  )
}

function createDatabaseFile(dataDir: string): string {
  createDataFolder(dataDir)
  return createPrivateFile(join(dataDir, sqliteFileName))
}

/**
 * Opens a database without creating or migrating anything. On PostgreSQL, it connects with the first query.
 * @throws AppError `not_found` when there is no SQLite file, `unavailable` when that file cannot be opened
 */
export async function openStoredDatabase({ databaseUrl, dataDir }: DatabaseOptions): Promise<Database> {
  if (databaseUrl !== null) return openPostgresLazily(databaseUrl, { maxStatementMs: maxCommandMs })
  const path = join(dataDir, sqliteFileName)
  const size = statSync(path, { throwIfNoEntry: false })?.size
  // SQLite would make a database of an empty file.
  if (size === undefined || size === 0) {
    throw new AppError(
      'not_found',
      `There is no Yonder database at ${path}. Check DATA_DIR or --data, or start the server once, which creates it.`,
    )
  }
  return openSqliteLazily(path)
}

/** Loads the driver on demand, because PostgreSQL does not need it. */
async function openSqliteLazily(path: string): Promise<Database> {
  const { openSqlite } = await import('./dialects/sqlite.ts')
  try {
    return openSqlite(path)
  } catch (error) {
    throw createOpenError(`The database ${path}`, withDiskSpace(error, path))
  }
}

/** Loads the driver on demand, because it takes 30 ms and 5 MB. */
async function openPostgresLazily(databaseUrl: string, options: ConnectionOptions): Promise<Database> {
  const { openPostgres } = await import('./dialects/postgres.ts')
  return openPostgres(databaseUrl, options)
}

/** Milliseconds after which a check without a result fails, because the probes of load balancers do not wait longer. */
const maxCheckMs = 2_000

/** Milliseconds between the starts of two checks, whose writes cost the disk something. */
const minCheckIntervalMs = 200

/**
 * Returns a function that checks the database (`checkDatabase`), for probes of any number. Those that arrive together
 * share a check.
 */
export function createDatabaseCheck(database: Database): () => Promise<void> {
  let running: Promise<void> | undefined
  let startedAt = -Infinity
  const check = async (): Promise<void> => {
    const delayMs = startedAt + minCheckIntervalMs - performance.now()
    if (delayMs > 0) await wait(delayMs)
    startedAt = performance.now()
    await checkDatabase(database)
  }
  return () => (running ??= check().finally(() => (running = undefined)))
}

/**
 * Checks that the database stores a write now (`Database.check`).
 * @throws AppError with what is wrong and what to do, for the operator
 */
export async function checkDatabase(database: Database): Promise<void> {
  const timeout = new AbortController()
  try {
    await Promise.race([
      database.check(maxCheckMs),
      wait(maxCheckMs, undefined, { signal: timeout.signal }).then(() => {
        throw new Error(`The database did not respond within ${maxCheckMs} ms.`)
      }),
    ])
  } catch (error) {
    throw toOperatorError(error)
  } finally {
    timeout.abort()
  }
}
