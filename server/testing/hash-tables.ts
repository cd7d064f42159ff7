import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Db } from '../db/database.ts'

/** They follow the messages in their own time and hold nothing that the messages do not. */
const derived = /search|^sqlite_/

/** Changes by the clock alone. */
const ticking = new Set(['lease_until'])

/**
 * One hash for each table, over all that it holds; what changes with time alone is left out. Of a refusal: equal before and
 * after.
 */
export async function hashTables({ db, dialect }: Database): Promise<Readonly<Record<string, string>>> {
  const own = dialect.kind === 'postgres' ? await currentSchema(db) : undefined
  // Other tests work in other schemas of the same server meanwhile.
  const tables = (await db.introspection.getTables()).filter(({ schema }) => schema === own)
  const hashes: Record<string, string> = {}
  for (const { name, schema } of tables) {
    if (derived.test(name)) continue
    const table = schema === undefined ? sql.table(name) : sql.id(schema, name)
    const { rows } = await sql<Record<string, unknown>>`select * from ${table}`.execute(db)
    const lines = rows.map((row) =>
      JSON.stringify(Object.entries(row).filter(([column]) => !ticking.has(column))),
    )
    hashes[name] = createHash('sha256').update(lines.toSorted().join('\n')).digest('hex')
  }
  return hashes
}

async function currentSchema(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db)
  return rows[0]?.name
}
