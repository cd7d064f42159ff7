import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/** Lists the tables of a test's own schema, because other tests create and drop schemas at the same time. */
export async function listTables({ db, dialect }: Pick<Database, 'db' | 'dialect'>): Promise<string[]> {
  const all =
    dialect.kind === 'postgres'
      ? sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`
      : sql<{ name: string }>`select name from sqlite_master where type = 'table'`
  return (await all.execute(db)).rows.map(({ name }) => name)
}
