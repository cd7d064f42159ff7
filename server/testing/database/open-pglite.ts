import { PGlite } from '@electric-sql/pglite'
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type { Database } from '../../db/database.ts'
import { postgresDialect } from '../../db/dialects/postgres.ts'
import type { Tables } from '../../db/tables/tables.ts'

const bigintType = 20

/**
 * PostgreSQL in this process, in memory, with one connection, for machines without PostgreSQL. It restores the SQL of a
 * `pg_dump`, if there is one.
 */
export async function openPglite(dump?: string): Promise<Database> {
  const engine = await PGlite.create({ parsers: { [bigintType]: Number } })
  // A dump changes the settings of its connection.
  if (dump !== undefined) await engine.exec(`${dump}; discard all`)
  const client = {
    query: async (text: string, values: unknown[] = []) => {
      const { rows, affectedRows = 0 } = await engine.query(text, values)
      return { rows, rowCount: affectedRows, command: text.trimStart().split(/\s/)[0]?.toUpperCase() ?? '' }
    },
    release: () => undefined,
  }
  const pool = {
    connect: () => acquire().then((release) => ({ ...client, release })),
    end: () => engine.close(),
  }
  let last = Promise.resolve()
  function acquire(): Promise<() => void> {
    let release: () => void = () => undefined
    const turn = last.then(() => release)
    last = new Promise((done) => {
      release = done
    })
    return turn
  }
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }) })
  return {
    db,
    dialect: postgresDialect,
    file: null,
    check: async () => {
      await engine.query('select 1')
    },
    subscribe: () => ({ close: () => Promise.resolve() }),
    close: () => db.destroy(),
  }
}
