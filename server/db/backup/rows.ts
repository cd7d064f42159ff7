import { createHash } from 'node:crypto'

export type Value = string | number | null
/** The values of a row, in the order of the columns. */
export type Row = readonly Value[]

export const isValue = (value: unknown): value is Value =>
  value === null || typeof value === 'string' || typeof value === 'number'

export const maxChunkRows = 100
/** A chunk ends with the row with which it reaches this many characters. */
export const minChunkChars = 1_000_000

/** Some rows of a table. A table without rows has a chunk, too. */
export interface Chunk {
  readonly table: string
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
}

export interface Content {
  /** For each table, the number of its rows. */
  readonly rows: Readonly<Record<string, number>>
  /** The hash of all tables, columns and rows. It is equal for equal data on SQLite and PostgreSQL. */
  readonly sha256: string
}

/**
 * Formats chunks as JSON lines: for each table, one with its columns, then one for each row. Hashes the lines and
 * counts the rows.
 */
export class ContentWriter {
  readonly #hash = createHash('sha256')
  readonly #rows: Record<string, number> = {}

  /** Returns the lines of the chunk. */
  add({ table, columns, rows }: Chunk): string {
    let lines = ''
    if (!Object.hasOwn(this.#rows, table)) {
      this.#rows[table] = 0
      lines += `${JSON.stringify({ table, columns })}\n`
    }
    for (const row of rows) lines += `${JSON.stringify(row)}\n`
    this.#rows[table] = (this.#rows[table] ?? 0) + rows.length
    this.#hash.update(lines)
    return lines
  }

  /** Call it once, at the end. */
  finish(): Content {
    return { rows: this.#rows, sha256: this.#hash.digest('hex') }
  }
}

export const countRows = ({ rows }: Content): number =>
  Object.values(rows).reduce((sum, count) => sum + count, 0)

/** Called now and then with the number of rows so far. */
export type ReportRows = (rows: number) => void

/** Passes the chunks on, and calls `onRows` after each with the number of rows so far. */
export async function* withProgress(chunks: AsyncIterable<Chunk>, onRows: ReportRows): AsyncGenerator<Chunk> {
  let rows = 0
  for await (const chunk of chunks) {
    yield chunk
    rows += chunk.rows.length
    onRows(rows)
  }
}
