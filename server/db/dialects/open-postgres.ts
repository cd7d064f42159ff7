import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Database } from '../database.ts'
import { postgresDialect } from './dialect.ts'
import { listenForNews } from './listen-for-notifications.ts'
import type { Tables } from '../tables/tables.ts'

/** Type id of `bigint`: our whole numbers are milliseconds and positions, far below 2^53. */
const bigintType = 20

export interface PostgresOptions {
  /** Connections of this process at the most. */
  readonly maxConnections?: number
  /** The schema to work in, when it is not the role's own. */
  readonly schema?: string
}

/** Opens a pool. Nothing is asked of the server until the first query. */
export function openPostgres(url: string, { maxConnections = 10, schema }: PostgresOptions = {}): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    ...(schema === undefined ? {} : { options: `-c search_path=${schema},public` }),
    types: {
      getTypeParser: (type: number, format?: 'text' | 'binary') =>
        type === bigintType ? Number : (pg.types.getTypeParser(type, format) as (text: string) => unknown),
    },
  })
  // An idle connection that breaks is replaced by the next query; without a listener it would end the process.
  pool.on('error', () => undefined)
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return {
    db,
    dialect: postgresDialect,
    file: null,
    openSignals: (listeners) => listenForNews(url, listeners),
    close: () => db.destroy(),
  }
}
