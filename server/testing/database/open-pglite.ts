import { PGlite, types } from '@electric-sql/pglite'
import { Kysely, PGliteDialect } from 'kysely'
import type { Database } from '../../db/database.ts'
import { postgresDialect } from '../../db/dialects/postgres.ts'
import { TableBytes } from '../../db/files/table-bytes.ts'
import type { Tables } from '../../db/tables/tables.ts'

/**
 * PostgreSQL in this process, in memory, with one connection, for machines without PostgreSQL. It restores the SQL of a
 * `pg_dump`, if there is one.
 */
export async function openPglite(dump?: string): Promise<Database> {
  const engine = await PGlite.create({ parsers: { [types.INT8]: Number } })
  if (dump !== undefined) {
    await engine.exec(dump)
    // A dump changes the settings of its connection. PGlite runs each text in one transaction, where this is refused.
    await engine.exec('discard all')
  }
  const db = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite: engine }) })
  return {
    db,
    dialect: postgresDialect,
    file: null,
    bytes: new TableBytes(db),
    check: async () => {
      await engine.query('update installation set issuer = issuer')
    },
    subscribe: () => ({ close: () => Promise.resolve() }),
    close: () => db.destroy(),
  }
}
