import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { openSqlite } from '../../db/dialects/sqlite.ts'
import { migrate } from '../../db/migrate.ts'
import { openPostgresSchema } from './postgres-schemas.ts'

export type Engine = 'sqlite' | 'postgres'

/**
 * The databases of every test of a store: `describe.each(engines)('… on %s', (engine) => …)`. `TEST_ENGINES=sqlite`
 * skips PostgreSQL.
 */
export const engines: readonly Engine[] =
  process.env['TEST_ENGINES'] === 'sqlite' ? ['sqlite'] : ['sqlite', 'postgres']

/** The PostgreSQL database of this test run; empty with PGlite. */
export const postgresUrl = process.env['TEST_DATABASE_URL'] ?? ''

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
  /** Waits for the disk with every commit, as the product does. Only measurements need it. */
  readonly durable?: boolean
}

/** Opens an empty, migrated database for one test; `close` removes it. */
export async function openTestDatabase(
  engine: Engine,
  options: TestDatabaseOptions = {},
): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'yonder-test-'))
  const opened = await open(engine, dataDir, options)
  return {
    ...opened,
    close: async () => {
      await opened.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function open(engine: Engine, dataDir: string, options: TestDatabaseOptions): Promise<TestDatabase> {
  if (engine === 'sqlite') return openSqliteIn(dataDir, options)
  return postgresUrl === '' ? openPgliteIn(dataDir) : openPostgresSchema(postgresUrl, dataDir, options)
}

let migratedFile: Promise<Buffer> | undefined

/** Opens a copy of a migrated file, because a copy takes a tenth of the time of the migrations. */
async function openSqliteIn(
  dataDir: string,
  { durable = false, ...options }: TestDatabaseOptions,
): Promise<TestDatabase> {
  const path = join(dataDir, 'yonder.sqlite')
  migratedFile ??= migrateFile()
  writeFileSync(path, await migratedFile)
  const database = openSqlite(path, options)
  if (!durable) await sql`pragma synchronous = off`.execute(database.db)
  return { ...database, location: { dataDir, databaseUrl: null } }
}

async function migrateFile(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'yonder-migrated-'))
  const path = join(folder, 'yonder.sqlite')
  const database = openSqlite(path)
  await migrate(database)
  await database.close()
  const content = readFileSync(path)
  rmSync(folder, { recursive: true })
  return content
}

async function openPgliteIn(dataDir: string): Promise<TestDatabase> {
  // A large module that most machines do not need.
  const { openPglite } = await import('./open-pglite.ts')
  const database = await openPglite()
  await migrate(database)
  return { ...database, location: { dataDir, databaseUrl: null } }
}
