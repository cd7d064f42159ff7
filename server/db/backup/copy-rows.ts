import { CompiledQuery, sql, type Kysely, type Transaction } from 'kysely'
import type { Db, Dialect } from '../database.ts'
import { inPieces } from '../files/file-bytes.ts'
import { TableBytes } from '../files/table-bytes.ts'
import type { Snapshot } from '../read-snapshot.ts'
import type { Tables } from '../tables/tables.ts'
import { refusal } from './refuse.ts'
import {
  ContentWriter,
  isValue,
  maxChunkRows,
  minChunkChars,
  type Chunk,
  type Content,
  type Row,
  type Value,
} from './rows.ts'
import { copiedTables, listColumns, primaryKeys, type Column, type CopiedTable } from './tables.ts'

/** Rows that PostgreSQL sends at once: few where a row may have megabytes, as those of former versions. */
const rowsPerFetch = (table: CopiedTable): number => (table === 'files' ? 4 : maxChunkRows)

/** Reads the rows of all tables, ordered by primary key. `source` is a snapshot or a transaction on one connection. */
export async function* readTables(source: Snapshot): AsyncGenerator<Chunk> {
  const columns = await listColumns(source)
  for (const table of copiedTables) {
    const tableColumns = columns.get(table)
    // A database of an older version may not have the table.
    if (tableColumns === undefined) continue
    yield* readTable(source, table, tableColumns)
  }
}

async function* readTable(
  source: Snapshot,
  table: CopiedTable,
  columns: readonly Column[],
): AsyncGenerator<Chunk> {
  const { db, dialect } = source
  const names = columns.map(({ name }) => name)
  let rows: Row[] = []
  let chars = 0
  let isFirst = true
  const read = dialect.kind === 'postgres' ? fetchFromPostgres : iterateSqlite
  const batches = table === 'file_pieces' ? readPieces(source) : read(db, table, columns)
  for await (const batch of batches) {
    for (const row of batch) {
      const values = names.map((name) => toValue(table, name, row[name]))
      rows.push(values)
      for (const value of values) chars += typeof value === 'string' ? value.length : 8
      if (rows.length < maxChunkRows && chars < minChunkChars) continue
      yield { table, columns: names, rows }
      isFirst = false
      rows = []
      chars = 0
    }
  }
  if (rows.length > 0 || isFirst) yield { table, columns: names, rows }
}

function toValue(table: string, column: string, value: unknown): Value {
  if (isValue(value)) return value
  throw refusal(
    `The column ${column} of the table ${table} has a value that cannot be copied: ${typeof value}.`,
  )
}

type StoredRow = Readonly<Record<string, unknown>>

async function* iterateSqlite(
  db: Db,
  table: CopiedTable,
  columns: readonly Column[],
): AsyncGenerator<readonly StoredRow[]> {
  const untyped = db as unknown as Kysely<Record<string, Record<string, unknown>>>
  let query = untyped.selectFrom(table).select(columns.map(({ name }) => name))
  for (const name of primaryKeys[table]) query = query.orderBy(name)
  for await (const row of query.stream()) yield [row]
}

/** Uses a cursor, because the driver would read all rows into memory. */
async function* fetchFromPostgres(
  db: Db,
  table: CopiedTable,
  columns: readonly Column[],
): AsyncGenerator<readonly StoredRow[]> {
  const names = columns.map(({ name }) => sql.ref(name))
  const order = primaryKeys[table].map((name) => {
    const isText = columns.find((column) => column.name === name)?.isText === true
    return isText ? sql`${sql.ref(name)} collate "C"` : sql.ref(name)
  })
  await sql`declare rows_of_table no scroll cursor for
    select ${sql.join(names)} from ${sql.table(table)} order by ${sql.join(order)}`.execute(db)
  const fetch = sql.raw<StoredRow>(`fetch ${rowsPerFetch(table)} from rows_of_table`)
  for (;;) {
    const { rows } = await fetch.execute(db)
    if (rows.length === 0) break
    yield rows
  }
  await sql`close rows_of_table`.execute(db)
}

/**
 * Reads the pieces of all files, wherever their bytes are, as rows of `file_pieces` with the bytes as base64. SQLite has
 * them in that table only while a backup is being restored.
 */
async function* readPieces({ db, dialect, bytes }: Snapshot): AsyncGenerator<readonly StoredRow[]> {
  const table = new TableBytes(db)
  const id = dialect.kind === 'postgres' ? sql`id collate "C"` : sql`id`
  for (let after = ''; ;) {
    const { rows: files } = await sql<{
      readonly id: string
    }>`select id from user_files where ${id} > ${after} order by ${id} limit ${sql.lit(maxChunkRows)}`.execute(
      db,
    )
    for (const { id: file_id } of files) {
      let number = 0
      for (const source of dialect.kind === 'postgres' ? [table] : [table, bytes]) {
        for await (const piece of inPieces(source.read(file_id)))
          yield [{ file_id, number: number++, data: piece.toString('base64') }]
        if (number > 0) break
      }
    }
    const last = files.at(-1)
    if (last === undefined) return
    after = last.id
  }
}

/** Hashes and counts all rows. `source` is a snapshot or a transaction on one connection. */
export async function hashContent(source: Snapshot): Promise<Content> {
  const writer = new ContentWriter()
  for await (const chunk of readTables(source)) writer.add(chunk)
  return writer.finish()
}

/**
 * Inserts the chunks into empty tables. The tables must have exactly the columns of the chunks.
 * @throws AppError when they do not, or when the chunks of a table are missing
 */
export async function writeTables(
  trx: Transaction<Tables>,
  dialect: Dialect,
  chunks: AsyncIterable<Chunk>,
): Promise<void> {
  const known = await listColumns({ db: trx, dialect })
  const missing = new Set<string>(copiedTables.filter((table) => known.has(table)))
  let insert: { readonly table: string; readonly rows: number; readonly text: string } | undefined
  for await (const { table, columns, rows } of chunks) {
    missing.delete(table)
    const expected = known.get(table)?.map(({ name }) => name)
    if (!Object.hasOwn(primaryKeys, table) || expected?.join() !== columns.join()) {
      throw refusal(
        `The columns of the table ${table} in the data to copy are not those of its version. Nothing was changed.`,
      )
    }
    if (rows.length === 0) continue
    if (insert?.table !== table || insert.rows !== rows.length) {
      insert = { table, rows: rows.length, text: createInsertSql(dialect, table, columns, rows.length) }
    }
    await trx.executeQuery(CompiledQuery.raw(insert.text, rows.flatMap(fromRow(table, columns))))
  }
  const [first] = missing
  if (first !== undefined) throw refusal(`The data to copy has no table ${first}. Nothing was changed.`)
  if (dialect.kind === 'postgres') await advanceSequences(trx)
}

/** Returns the function that converts a row to parameters: the bytes of pieces are base64 in it. */
function fromRow(table: string, columns: readonly string[]): (row: Row) => readonly unknown[] {
  if (table !== 'file_pieces') return (row) => row
  const data = columns.indexOf('data')
  return (row) => row.map((value, index) => (index === data ? Buffer.from(String(value), 'base64') : value))
}

function createInsertSql({ kind }: Dialect, table: string, columns: readonly string[], rows: number): string {
  let parameter = 0
  const placeholder = (): string => (kind === 'postgres' ? `$${++parameter}` : '?')
  const values = Array.from({ length: rows }, () => `(${columns.map(placeholder).join()})`)
  return `insert into ${table} (${columns.map((name) => `"${name}"`).join()}) values ${values.join()}`
}

/** Makes new rows get higher numbers than the inserted ones. SQLite does this itself. */
async function advanceSequences(trx: Transaction<Tables>): Promise<void> {
  for (const [table, column] of [
    ['messages', 'position'],
    ['runs', 'id'],
  ] as const) {
    await sql`select setval(pg_get_serial_sequence(${table}, ${column}),
      (select coalesce(max(${sql.ref(column)}), 0) + 1 from ${sql.table(table)}), false)`.execute(trx)
  }
}
