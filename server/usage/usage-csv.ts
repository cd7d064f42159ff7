import { formatNanos, nanosOf } from './present-usage.ts'
import type { Sums, UsageSums, UserUsageSums } from './usage-store.ts'

/** Excel reads a file without it in another encoding. */
const byteOrderMark = '\uFEFF'

/**
 * Spreadsheets calculate a cell that begins with one of these, also in full width. Where the list separator is not the
 * comma, as in most of Europe, a cell also begins after a semicolon in a text, even when it is quoted. Tabs and line breaks, which separate too, become
 * spaces.
 */
const formulaStart = /(^|[;,|])( *)(?=[=+\-@＝＋－＠﹦﹢﹣﹫])/gu

/** The title of a column, and its value. */
type Column<Row> = readonly [title: string, read: (row: Row) => string | number | null]

/** A count that no call reported is an empty cell, and so is an unknown cost. */
const sumColumns: readonly Column<Sums>[] = [
  ['Model', ({ model }) => model],
  ['Model calls', ({ calls }) => calls],
  ['Input tokens', (one) => one.input_tokens],
  ['Cached input tokens', (one) => one.cached_tokens],
  ['Output tokens', (one) => one.output_tokens],
  ['Reasoning tokens', (one) => one.reasoning_tokens],
  ['Calls without token counts', (one) => one.uncounted_calls],
  ['Cost', (one) => (one.currency === null ? null : formatNanos(nanosOf(one)))],
  ['Currency', ({ currency }) => currency],
  ['Calls without a known cost', (one) => one.unpriced_calls],
]

/** Writes the sums of each day, bot, model and currency as CSV: RFC 4180 in UTF-8 with a byte order mark. */
export async function* writeUsageCsv(pages: AsyncIterable<readonly UsageSums[]>): AsyncGenerator<string> {
  const columns: readonly Column<UsageSums>[] = [
    ['Day', ({ day }) => day],
    ['Bot', ({ bot }) => bot],
    ...sumColumns,
  ]
  // Sent with the first page, so that a failure to read that one can still be reported.
  let head = writeHead(columns)
  for await (const sums of pages) {
    yield head + writeRows(columns, sums)
    head = ''
  }
}

/** The sums of each user, model and currency as CSV of the same form. */
export function writeUserUsageCsv(sums: readonly UserUsageSums[]): string {
  const columns: readonly Column<UserUsageSums>[] = [
    ['E-mail', ({ email }) => email],
    ['User', ({ user_id }) => user_id],
    ...sumColumns,
  ]
  return writeHead(columns) + writeRows(columns, sums)
}

function writeHead<Row>(columns: readonly Column<Row>[]): string {
  return byteOrderMark + toLine(columns.map(([title]) => title))
}

function writeRows<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  return rows.map((row) => toLine(columns.map(([, read]) => read(row) ?? ''))).join('')
}

function toLine(cells: readonly (string | number)[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}

function toCell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = value.replaceAll(/[\t\r\n\v\f\u0085\u2028\u2029]+/g, ' ').replaceAll(formulaStart, "$1$2'")
  return /[",;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
