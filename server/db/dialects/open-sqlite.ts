import type BetterSqlite from 'better-sqlite3'
import { CompiledQuery, Kysely, SqliteDialect, SqliteDriver } from 'kysely'
import type { DatabaseConnection, SqliteDialectConfig } from 'kysely'
import type { Database } from '../database.ts'
import { sqliteDialect } from './dialect.ts'
import { SqliteFile } from './sqlite-file.ts'
import type { Tables } from '../tables/tables.ts'

/** The first release without the WAL-reset corruption. */
const oldestSafeVersion = [3, 51, 3] as const

/** Prepared statements kept for reuse; preparing one costs more than running it. */
const statementCacheSize = 500

/**
 * A transaction takes the write lock when it begins: one that reads first and writes later would otherwise fail with
 * SQLITE_BUSY whatever the timeout is.
 */
class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
}

class ImmediateSqliteDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig

  constructor(config: SqliteDialectConfig) {
    super(config)
    this.#config = config
  }

  override createDriver(): SqliteDriver {
    return new ImmediateDriver(this.#config)
  }
}

/** Opens (or makes) the file. Throws when the SQLite library could corrupt it or the file is not a database. */
export function openSqlite(path: string): Database {
  const file = new SqliteFile(path, { timeout: 5_000 })
  requireSafeVersion(file)
  file.pragma('journal_mode = WAL')
  file.pragma('synchronous = FULL')
  file.pragma('foreign_keys = ON')
  file.pragma('cache_size = -32000')
  const db = new Kysely<Tables>({
    dialect: new ImmediateSqliteDialect({ database: withStatementCache(file) }),
  })
  return {
    db,
    dialect: sqliteDialect(file),
    file: path,
    openSignals: () => ({ close: () => Promise.resolve() }),
    close: () => db.destroy(),
  }
}

function requireSafeVersion(file: BetterSqlite.Database): void {
  const version =
    file.prepare<[], { version: string }>('select sqlite_version() as version').get()?.version ?? ''
  const parts = version.split('.').map(Number)
  for (const [index, oldest] of oldestSafeVersion.entries()) {
    const part = parts[index] ?? 0
    if (part > oldest) return
    if (part < oldest) {
      throw new Error(
        `SQLite ${version} can corrupt its file; ${oldestSafeVersion.join('.')} or newer is needed.`,
      )
    }
  }
}

/** The same connection, with the least recently made statements dropped once the cache is full. */
function withStatementCache(file: BetterSqlite.Database): Pick<BetterSqlite.Database, 'close' | 'prepare'> {
  const statements = new Map<string, BetterSqlite.Statement>()
  const prepare = (sql: string): BetterSqlite.Statement => {
    const known = statements.get(sql)
    if (known !== undefined && !known.busy) return known
    const statement = file.prepare(sql)
    if (statements.size >= statementCacheSize) {
      const [oldest] = statements.keys()
      if (oldest !== undefined) statements.delete(oldest)
    }
    statements.set(sql, statement)
    return statement
  }
  return {
    close: () => file.close(),
    prepare: prepare as BetterSqlite.Database['prepare'],
  }
}
