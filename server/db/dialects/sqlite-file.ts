import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type BetterSqlite from 'better-sqlite3'
import { sqliteRelease } from '../../../bin/sqlite-release.mjs'
import { AppError } from '../../lib/app-error.ts'

/** Opens a SQLite file in this process: the class `Database` of better-sqlite3. */
export const SqliteFile = loadSqlite()

function loadSqlite(): typeof BetterSqlite {
  try {
    return load(sqliteRelease.name)
  } catch (error) {
    // The path is right for the bundle in `server/dist` only. For the sources, `scripts/setup.mjs` installs SQLite.
    const provider = fileURLToPath(new URL('../../bin/provide-sqlite.mjs', import.meta.url))
    if (!existsSync(provider)) throw error
    return load(provide(provider))
  }
}

/** Throws also when the package is there, but not its native module. */
function load(moduleOrFolder: string): typeof BetterSqlite {
  const Database = createRequire(import.meta.url)(moduleOrFolder) as typeof BetterSqlite
  new Database(':memory:').close()
  return Database
}

/**
 * Returns the folder of the module, and installs it there if it is missing. This may take minutes. It prints the
 * progress.
 */
function provide(provider: string): string {
  try {
    const stdio = ['ignore', 'pipe', 'inherit'] as const
    return execFileSync(process.execPath, [provider], { encoding: 'utf8', stdio: [...stdio] }).trim()
  } catch {
    throw new AppError('unavailable', 'SQLite could not be installed. The reason is printed above.')
  }
}
