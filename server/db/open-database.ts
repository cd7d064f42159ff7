import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from './database.ts'
import { migrate } from './migrate.ts'
import { createStorageError, toStorageError } from './storage-problem.ts'

export interface DatabaseOptions {
  /** A PostgreSQL address. Null for SQLite in `dataDir`. */
  readonly databaseUrl: string | null
  readonly dataDir: string
}

export interface DatabaseEvents {
  /** Receives the errors of connections that no query receives. */
  readonly onError?: (error: unknown) => void
}

/** The name of the SQLite file in the data folder. */
export const sqliteFileName = 'yonder.sqlite'

/** Opens the configured database and runs its missing migrations, or checks with `prepare` that none is missing. */
export async function openDatabase(
  { databaseUrl, dataDir }: DatabaseOptions,
  events: DatabaseEvents = {},
  prepare: (database: Database) => Promise<void> = migrate,
): Promise<Database> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const database =
    databaseUrl === null
      ? await openSqliteLazily(createPrivateFile(join(dataDir, sqliteFileName)))
      : await openPostgresLazily(databaseUrl, events)
  try {
    await prepare(database)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Loads the driver only when it is used, because the package has to install it where Node is older than 22.14. */
async function openSqliteLazily(path: string): Promise<Database> {
  const { openSqlite } = await import('./dialects/sqlite.ts')
  return openSqlite(path)
}

/** Loads the driver only when it is used. It takes 30 ms and 5 MB. */
async function openPostgresLazily(databaseUrl: string, events: DatabaseEvents): Promise<Database> {
  const { openPostgres } = await import('./dialects/postgres.ts')
  return openPostgres(databaseUrl, events)
}

/** Creates a missing file for its owner only (§22.19). SQLite gives its other files the same mode. Returns the path. */
function createPrivateFile(path: string): string {
  closeSync(openSync(path, 'a', 0o600))
  return path
}

/** Milliseconds after which a check without a result fails, because the probes of load balancers do not wait longer. */
const maxCheckMs = 2_000

/**
 * Checks that the database executes writes now.
 * @throws AppError with the reason
 */
export async function checkDatabase(database: Database): Promise<void> {
  const timeout = new AbortController()
  try {
    await Promise.race([
      database.check(),
      wait(maxCheckMs, undefined, { signal: timeout.signal }).then(() => {
        throw new Error(`The database did not respond within ${maxCheckMs} ms.`)
      }),
    ])
  } catch (error) {
    throw toStorageError(database.dialect, error) ?? createStorageError('unreachable', error)
  } finally {
    timeout.abort()
  }
}
