import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { listTables } from './list-tables.ts'

/**
 * The tables of the search index, which are written some time after the messages, of running servers, of SQLite, and of
 * the bytes of files, which are never changed and with SQLite in a folder.
 */
const omittedTables = /search|^sqlite_|^nodes$|^changes$|^file_pieces$/

/** Columns that change without a request. */
const unstableColumns = new Set(['lease_until'])

/** Returns a hash of the rows of each table but those omitted. A refused request leaves all hashes unchanged. */
export async function hashTables({ db, dialect }: Database): Promise<Readonly<Record<string, string>>> {
  const hashes: Record<string, string> = {}
  for (const name of await listTables({ db, dialect })) {
    if (omittedTables.test(name)) continue
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db)
    const lines = rows.map((row) =>
      JSON.stringify(Object.entries(row).filter(([column]) => !unstableColumns.has(column))),
    )
    hashes[name] = createHash('sha256').update(lines.toSorted().join('\n')).digest('hex')
  }
  return hashes
}
