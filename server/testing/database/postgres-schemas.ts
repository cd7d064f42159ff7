import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { openPostgres, type PostgresOptions } from '../../db/dialects/postgres.ts'
import { migrate } from '../../db/migrate.ts'
import type { TestDatabase } from './test-database.ts'

/**
 * A migrated schema. Migrating takes fifty times as long as emptying, so tests use the same schema one after the other.
 */
interface Schema {
  readonly name: string
  /** Empties all tables, restarts their numbers, and then reads the definitions. */
  readonly reset: string
  /** Identifies the state of the definitions of the tables. */
  readonly definitions: string
}

/** A schema that holds more than this is dropped, because the deleted rows would slow down the tests that follow. */
const maxDeletedRows = 1_000

/** The empty schemas of this process. The test run drops them with its database. */
const spareSchemas: Schema[] = []
let connection: pg.Pool | undefined

/** Opens an empty, migrated schema of the database at `address` for one test. */
export async function openPostgresSchema(
  address: string,
  dataDir: string,
  options: PostgresOptions,
): Promise<TestDatabase> {
  connection ??= new pg.Pool({ connectionString: address, max: 1, allowExitOnIdle: true })
  const admin = connection
  const schema = spareSchemas.pop() ?? (await createSchema(admin, address))
  const url = urlOf(address, schema.name)
  const database = openPostgres(url, { maxConnections: 5, ...options })
  let isShared = false
  const giveBack = async (): Promise<void> => {
    // Waits for the statements that are still running.
    await database.close()
    if (!isShared && (await tryToEmpty(admin, schema))) spareSchemas.push(schema)
    else await admin.query(`drop schema ${schema.name} cascade`)
  }
  let closed: Promise<void> | undefined
  return {
    ...database,
    location: {
      dataDir,
      // Another process may still write when the test ends, so no other test gets this schema.
      get databaseUrl() {
        isShared = true
        return url
      },
    },
    // A test may close it twice, and two tests must not get the same schema.
    close: () => (closed ??= giveBack()),
  }
}

async function createSchema(admin: pg.Pool, address: string): Promise<Schema> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await admin.query(`create schema ${name}`)
  const database = openPostgres(urlOf(address, name), { maxConnections: 1 })
  await migrate(database)
  const { rows } = await sql<{ type: string; name: string }>`select relkind as type, relname as name
    from pg_class where relnamespace = ${name}::regnamespace and relkind in ('r', 'S')`.execute(database.db)
  await database.close()
  const list = (type: string) => rows.flatMap((row) => (row.type === type ? [`${name}.${row.name}`] : []))
  const reset = [
    ...list('r').flatMap((table) =>
      /\.(migrations|installation)$/.test(table) ? [] : [`delete from ${table}`],
    ),
    ...list('S').map((sequence) => `select setval('${sequence}', 1, false)`),
    identify(name),
  ].join(';')
  const identified = await admin.query<{ definitions: string }>(identify(name))
  return { name, reset, definitions: identified.rows[0]?.definitions ?? '' }
}

/** A query for the newest change of a table or an index of the schema, and for its migrations. */
function identify(schema: string): string {
  return `select concat_ws(' ', count(*), max(xmin::text::bigint), (select count(*) from ${schema}.migrations), (select max(xmin::text) from ${schema}.installation))
    as definitions from pg_class where relnamespace = '${schema}'::regnamespace`
}

/**
 * Empties a schema. Returns false when a test has changed its tables, or left more rows than can be deleted quickly.
 */
async function tryToEmpty(admin: pg.Pool, { reset, definitions }: Schema): Promise<boolean> {
  try {
    const results = (await admin.query(reset)) as unknown as pg.QueryResult<{ definitions: string }>[]
    const deleted = results.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0)
    return deleted <= maxDeletedRows && results.at(-1)?.rows[0]?.definitions === definitions
  } catch {
    // A table is missing.
    return false
  }
}

function urlOf(address: string, schema: string): string {
  const url = new URL(address)
  url.searchParams.set('options', `-c search_path=${schema},public`)
  return url.href
}
