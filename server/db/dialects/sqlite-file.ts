import { createRequire } from 'node:module'
import type BetterSqlite from 'better-sqlite3'

/**
 * The release of better-sqlite3 for this version of Node (`scripts/setup.mjs` installs by the same rule). Release 13 needs
 * Node-API 10, and with release 12 the garbage collector of Node 24.19 crashes the process.
 */
const release = Number(process.versions.napi) >= 10 ? 'better-sqlite3' : 'better-sqlite3-12'

/** Opens a SQLite file in this process: the class `Database` of better-sqlite3. */
export const SqliteFile = createRequire(import.meta.url)(release) as typeof BetterSqlite
