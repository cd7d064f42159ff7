import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { listTables } from './list-tables.ts'

/** The index of the search on SQLite, which cannot be read as a table. Those behind it, with its bytes, can. */
const unreadable = 'message_search'

/** Returns the tables in which a row contains one of these words, each with the word, such as `bots: Ada`. */
export async function findWords(
  { db, dialect }: Database,
  words: readonly string[],
): Promise<readonly string[]> {
  const found = new Set<string>()
  for (const name of await listTables({ db, dialect })) {
    if (name === unreadable && dialect.kind === 'sqlite') continue
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db)
    const text = rows.map(toText).join('\n')
    for (const word of words) if (text.includes(word)) found.add(`${name}: ${word}`)
  }
  return [...found].toSorted()
}

function toText(row: Readonly<Record<string, unknown>>): string {
  return Object.values(row)
    .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)))
    .join('\n')
}
