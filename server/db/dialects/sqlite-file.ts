import { createRequire } from 'node:module'
import type BetterSqlite from 'better-sqlite3'
import { AppError } from '../../lib/app-error.ts'

/** Opens a SQLite file in this process: the class `Database` of better-sqlite3. */
export const SqliteFile = loadSqlite()

/** Loaded by its name at run time, because the bundle cannot contain a native module. */
function loadSqlite(): typeof BetterSqlite {
  try {
    const Database = createRequire(import.meta.url)('better-sqlite3') as typeof BetterSqlite
    new Database(':memory:').close()
    return Database
  } catch (error) {
    const { platform, arch } = process
    throw new AppError(
      'unavailable',
      `The module for SQLite does not load on ${platform}-${arch}. It contains prebuilt binaries for Linux, macOS and Windows on x64 and arm64; elsewhere use PostgreSQL by DATABASE_URL. If this is one of these systems, install Yonder again.`,
      { cause: error },
    )
  }
}
