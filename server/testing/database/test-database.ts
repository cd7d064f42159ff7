import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { migrate } from '../../db/migrate.ts'
import { openPostgres } from '../../db/dialects/postgres.ts'
import { openSqlite } from '../../db/dialects/sqlite.ts'
import { openPglite } from './open-pglite.ts'

export type Engine = 'sqlite' | 'postgres'

/**
 * The databases of every test of a store: `describe.each(engines)('… on %s', (engine) => …)`. `TEST_ENGINES=sqlite`
 * skips PostgreSQL.
 */
export const engines: readonly Engine[] =
  process.env['TEST_ENGINES'] === 'sqlite' ? ['sqlite'] : ['sqlite', 'postgres']

const postgresUrl = process.env['TEST_DATABASE_URL'] ?? ''

/** False with PGlite, which has one connection. Tests of concurrency are skipped then. */
export function isConcurrent(engine: Engine): boolean {
  return engine === 'sqlite' || postgresUrl !== ''
}

export interface TestDatabase extends Database {
  /** The address at which a second process or node can open the same data. */
  readonly location: { readonly dataDir: string; readonly databaseUrl: string | null }
}

export interface TestDatabaseOptions {
  /** Milliseconds for which a statement waits for a connection or a lock. */
  readonly maxWaitMs?: number
  readonly maxConnections?: number
}

/** Opens an empty, migrated database for one test; `close` removes it. */
export async function openTestDatabase(
  engine: Engine,
  options: TestDatabaseOptions = {},
): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'yonder-test-'))
  const opened =
    engine === 'sqlite' ? openSqliteIn(dataDir, options) : await openPostgresSchema(dataDir, options)
  await migrate(opened)
  return {
    ...opened,
    close: async () => {
      await opened.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function openSqliteIn(dataDir: string, options: TestDatabaseOptions): TestDatabase {
  return { ...openSqlite(join(dataDir, 'yonder.sqlite'), options), location: { dataDir, databaseUrl: null } }
}

async function openPostgresSchema(dataDir: string, options: TestDatabaseOptions): Promise<TestDatabase> {
  if (postgresUrl === '') return { ...(await openPglite()), location: { dataDir, databaseUrl: null } }
  const schema = `test_${randomBytes(8).toString('hex')}`
  const url = new URL(postgresUrl)
  url.searchParams.set('options', `-c search_path=${schema},public`)
  const database = openPostgres(url.href, { maxConnections: 5, ...options })
  await createTrigrams(database)
  await sql`create schema ${sql.id(schema)}`.execute(database.db)
  return {
    ...database,
    location: { dataDir, databaseUrl: url.href },
    close: async () => {
      await sql`drop schema ${sql.id(schema)} cascade`.execute(database.db)
      await database.close()
    },
  }
}

/** Creates the extension in the shared schema, so that other tests still have it when one drops its own schema. */
async function createTrigrams({ db, dialect }: Database): Promise<void> {
  try {
    await sql`create extension if not exists pg_trgm schema public`.execute(db)
  } catch (error) {
    // Another test that started at the same time has created it.
    if (!dialect.isUniqueViolation(error)) throw error
  }
}
