import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { listTables } from './list-tables.ts'

/** Search tables: they are derived from the messages with a delay. */
const derived = /search|^sqlite_/

/** Changes with time only. */
const ticking = new Set(['lease_until'])

/**
 * One hash for each table, over all that it holds; what changes with time alone is left out. Of a refusal: equal before and
 * after.
 */
export async function hashTables({ db, dialect }: Database): Promise<Readonly<Record<string, string>>> {
  const hashes: Record<string, string> = {}
  for (const name of await listTables({ db, dialect })) {
    if (derived.test(name)) continue
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db)
    const lines = rows.map((row) =>
      JSON.stringify(Object.entries(row).filter(([column]) => !ticking.has(column))),
    )
    hashes[name] = createHash('sha256').update(lines.toSorted().join('\n')).digest('hex')
  }
  return hashes
}
