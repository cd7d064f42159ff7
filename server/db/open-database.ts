import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Database, Db } from './database.ts'
import { migrate } from './migrate.ts'
import { openPostgres } from './dialects/postgres.ts'
import { openSqlite } from './dialects/sqlite.ts'

export interface DatabaseOptions {
  /** A PostgreSQL address. Null for SQLite in `dataDir`. */
  readonly databaseUrl: string | null
  readonly dataDir: string
}

/** The name of the SQLite file in the data folder. */
export const sqliteFileName = 'yonder.sqlite'

/** Opens the configured database and runs its missing migrations. */
export async function openDatabase({ databaseUrl, dataDir }: DatabaseOptions): Promise<Database> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const database =
    databaseUrl === null ? openSqlite(join(dataDir, sqliteFileName)) : openPostgres(databaseUrl)
  try {
    await migrate(database)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Rejects when the database does not respond. */
export async function checkDatabase(db: Db): Promise<void> {
  await sql`select 1`.execute(db)
}
