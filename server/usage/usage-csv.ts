import { formatNanos, nanosOf } from './present-usage.ts'
import type { Sums, UsageSums, UserUsageSums } from './usage-store.ts'

/** Excel reads a file without it in another encoding. */
const byteOrderMark = '\uFEFF'

/** Spreadsheets calculate a cell that begins with one of these, also in full width. */
const formulaStart = /^[=+\-@\t\r＝＋－＠]/

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

/** The sums of each day, bot, model and currency as CSV: RFC 4180 in UTF-8 with a byte order mark. */
export function writeUsageCsv(sums: readonly UsageSums[]): string {
  return writeCsv([['Day', ({ day }) => day], ['Bot', ({ bot }) => bot], ...sumColumns], sums)
}

/** The sums of each user, model and currency as CSV of the same form. */
export function writeUserUsageCsv(sums: readonly UserUsageSums[]): string {
  return writeCsv([['E-mail', ({ email }) => email], ['User', ({ user_id }) => user_id], ...sumColumns], sums)
}

function writeCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [
    columns.map(([title]) => title),
    ...rows.map((row) => columns.map(([, read]) => read(row) ?? '')),
  ]
  return byteOrderMark + lines.map((line) => `${line.map(toCell).join(',')}\r\n`).join('')
}

function toCell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = formulaStart.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
