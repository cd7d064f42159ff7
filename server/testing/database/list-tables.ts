import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/** The tables of a test's own database: other tests create and drop schemas meanwhile, so the list is limited to its own. */
export async function listTables({ db, dialect }: Pick<Database, 'db' | 'dialect'>): Promise<string[]> {
  const all =
    dialect.kind === 'postgres'
      ? sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`
      : sql<{ name: string }>`select name from sqlite_master where type = 'table'`
  return (await all.execute(db)).rows.map(({ name }) => name)
}
