import { formatNanos, nanosOf } from './present-usage.ts'
import type { UsageSums } from './usage-store.ts'

/** Spreadsheets read a file without it in another encoding. */
const byteOrderMark = '\uFEFF'

/** Spreadsheets calculate a cell that begins with one of these, also in full width (§25.14). */
const formulaStart = /^[=+\-@\t\r＝＋－＠]/

/**
 * The sums of each day, bot, model and currency as CSV: RFC 4180 in UTF-8 with a byte order mark. Tokens are an empty
 * cell when no call has counts, and so is an unknown cost (§25.13, §25.14).
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
  const rows = sums.map((one) => {
    const allUncounted = one.uncounted_calls === one.calls
    return [
      one.day,
      one.bot,
      one.model,
      one.calls,
      unlessUnknown(one.input_tokens, allUncounted),
      unlessUnknown(one.cached_tokens, allUncounted),
      unlessUnknown(one.output_tokens, allUncounted),
      unlessUnknown(one.reasoning_tokens, allUncounted),
      one.uncounted_calls,
      one.currency === null ? '' : formatNanos(nanosOf(one)),
      one.currency ?? '',
      one.unpriced_calls,
    ]
  })
  return byteOrderMark + [header, ...rows].map((row) => `${row.map(toCell).join(',')}\r\n`).join('')
}

/** A call may have reported only one of input and output, so a sum above 0 is shown. */
function unlessUnknown(tokens: number, isUnknown: boolean): number | '' {
  return isUnknown && tokens === 0 ? '' : tokens
}

function toCell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = formulaStart.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
