import { sql, type Kysely } from 'kysely'
import { copiedTables, type CopiedTable, primaryKeys } from '../../db/backup/tables.ts'
import type { Database } from '../../db/database.ts'
import { oneBuffer, pieceBytes } from '../../db/files/file-bytes.ts'

/** Rows of each table. The second one has null wherever it may. */
const rowsPerTable = 3

/**
 * Tables with other numbers of rows. The bytes of files are elsewhere with SQLite, and a start moves the former files.
 */
const otherRows: Readonly<Partial<Record<CopiedTable, number>>> = { files: 0, file_pieces: 5 }

/** How many rows each table then has. */
export const filledRows = Object.fromEntries(
  copiedTables.map((table) => [table, otherRows[table] ?? rowsPerTable]),
)

/** Texts that a careless format, encoding or order would change. */
const oddTexts = [
  'É e\u0301 ß ς 😀 \u2028 \u2029 \u200B \uFFFD \uFFFF "quoted" \\ \\u0000 \r\n\t\u0001 lone \uD800 end',
  '',
  `[1,"2"] {"end":{"sha256":""}} null\n{"table":"users","columns":[]}\n${'long 長い '.repeat(2_000)}`,
]
const oddIntegers = [Number.MAX_SAFE_INTEGER, 0, Number.MIN_SAFE_INTEGER]
const oddNumbers = [0.1, 1, 5e-324]

/** Inserts rows with unusual values into every table that a backup contains, and the bytes of files. */
export async function fillTables({ db, dialect, bytes }: Database): Promise<void> {
  const columnsOf = dialect.kind === 'sqlite' ? await listSqliteColumns(db) : await listPostgresColumns(db)
  const untyped = db as unknown as Kysely<Record<string, Record<string, unknown>>>
  await db.deleteFrom('installation').execute()
  for (const table of copiedTables) {
    if (table in otherRows) continue
    const columns = columnsOf.filter((column) => column.table === table)
    const keys: readonly string[] = primaryKeys[table]
    for (let index = 0; index < rowsPerTable; index++) {
      const row = columns.map(({ name, dataType, isNullable }) => {
        const isNumber = /int|float|double/i.test(dataType)
        // References have the values of the keys that they refer to.
        const isReferred = `${table}.${name}` === 'messages.id' || references.has(name)
        if (keys.includes(name) || isReferred || `${table}.${name}` === 'integration_consents.name')
          return [name, isNumber ? index + 1 : keyOf(table, name, index)]
        if (isNullable && index === 1) return [name, null]
        if (/int/i.test(dataType)) return [name, oddIntegers[index]]
        if (isNumber) return [name, oddNumbers[index]]
        return [name, (oddTexts[index] ?? '') + name]
      })
      await untyped.insertInto(table).values(Object.fromEntries(row)).execute()
    }
  }
  for (const [index, size] of [1, pieceBytes, 2 * pieceBytes + 7].entries())
    await bytes.write(keyOf('user_files', 'id', index), oneBuffer(Buffer.alloc(size, 'bytes ä\0\xff')))
}

interface Column {
  readonly table: string
  readonly name: string
  readonly dataType: string
  readonly isNullable: boolean
}

async function listSqliteColumns(db: Database['db']): Promise<readonly Column[]> {
  const tables = await db.introspection.getTables()
  return tables.flatMap(({ name: table, columns }) => columns.map((column) => ({ ...column, table })))
}

/** Of this schema only: another test may drop its own at any moment. */
async function listPostgresColumns(db: Database['db']): Promise<readonly Column[]> {
  const { rows } =
    await sql<Column>`select table_name as "table", column_name as "name", data_type as "dataType",
    is_nullable = 'YES' as "isNullable" from information_schema.columns
    where table_schema = current_schema() order by table_name, ordinal_position`.execute(db)
  return rows
}

const references = new Set(['user_id', 'chat_id', 'message_id', 'run_id', 'connector_id', 'file_id'])

/** Lower case sorts after upper case in binary order, and before it in most languages. */
const keyOf = (table: string, column: string, index: number): string =>
  `${['b', 'A', 'ä'][index]} ${referredTo(table, column)}`

function referredTo(table: string, column: string): string {
  if (column === 'name') return 'integration'
  if (column !== 'id') return column
  return (
    {
      users: 'user_id',
      chats: 'chat_id',
      messages: 'message_id',
      connectors: 'connector_id',
      user_files: 'file_id',
    }[table] ?? table
  )
}
