import { formatNanos, nanosOf } from './present-usage.ts'
import type { UsageSums } from './usage-store.ts'

/** Excel reads a file without it in another encoding. */
const byteOrderMark = '\uFEFF'

/** Spreadsheets calculate a cell that begins with one of these, also in full width. */
const formulaStart = /^[=+\-@\t\r＝＋－＠]/

/**
 * The sums of each day, bot, model and currency as CSV: RFC 4180 in UTF-8 with a byte order mark. A count that no call
 * reported is an empty cell, and so is an unknown cost.
 */
export function writeUsageCsv(sums: readonly UsageSums[]): string {
  const header = [
    'Day',
    'Bot',
    'Model',
    'Model calls',
    'Input tokens',
    'Cached input tokens',
    'Output tokens',
    'Reasoning tokens',
    'Calls without token counts',
    'Cost',
    'Currency',
    'Calls without a known cost',
  ]
  const rows = sums.map((one) => [
    one.day,
    one.bot,
    one.model,
    one.calls,
    one.input_tokens ?? '',
    one.cached_tokens ?? '',
    one.output_tokens ?? '',
    one.reasoning_tokens ?? '',
    one.uncounted_calls,
    one.currency === null ? '' : formatNanos(nanosOf(one)),
    one.currency ?? '',
    one.unpriced_calls,
  ])
  return byteOrderMark + [header, ...rows].map((row) => `${row.map(toCell).join(',')}\r\n`).join('')
}

function toCell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = formulaStart.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
