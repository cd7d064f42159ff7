import { formatNanos, nanosOf } from './present-usage.ts'
import type { UsageSums } from './usage-store.ts'

/** Excel reads a file without it in another encoding. */
const byteOrderMark = '\uFEFF'

/** Spreadsheets calculate a cell that begins with one of these, also in full width. */
const formulaStart = /^[=+\-@\t\r＝＋－＠]/

/** The title of each column, and its value. A count that no call reported is an empty cell, and so is an unknown cost. */
const columns: readonly (readonly [title: string, read: (one: UsageSums) => string | number | null])[] = [
  ['Day', ({ day }) => day],
  ['Bot', ({ bot }) => bot],
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
  const header = columns.map(([title]) => title)
  const rows = sums.map((one) => columns.map(([, read]) => read(one) ?? ''))
  return byteOrderMark + [header, ...rows].map((row) => `${row.map(toCell).join(',')}\r\n`).join('')
}

function toCell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = formulaStart.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
