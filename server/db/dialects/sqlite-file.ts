import { createRequire } from 'node:module'
import type BetterSqlite from 'better-sqlite3'

/**
 * better-sqlite3 in the release that this Node can use (`scripts/setup.mjs` installs by the same rule): 13 needs the tenth
 * version of Node's interface for native modules, and with 12 the garbage collector of Node 24.19 ends the process.
 */
const release = Number(process.versions.napi) >= 10 ? 'better-sqlite3' : 'better-sqlite3-12'

/** A SQLite database, open in this process. */
export const SqliteFile = createRequire(import.meta.url)(release) as typeof BetterSqlite
