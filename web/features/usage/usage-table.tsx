import type { UsageTotals } from '@yonder/contract/usage/usage-report'
import { formatCosts, formatCount } from '../../lib/format-usage.ts'

export interface UsageTableProps {
  /** The accessible name. */
  readonly name: string
  /** The heading of the first column. */
  readonly firstColumn: string
  readonly rows: readonly (UsageTotals & { readonly label: string })[]
}

// The cost comes first, because a phone has no space for all columns.
const columns = ['Cost', 'Input', 'Output', 'Calls']
const cell = 'py-2 pl-3 sm:pl-4 text-right whitespace-nowrap tabular-nums'

/** A row for each day, month or bot. Scrolls sideways where it is wider than the screen. */
export function UsageTable({ name, firstColumn, rows }: UsageTableProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls with the keyboard too
    <section aria-label={name} tabIndex={0} className="overflow-x-auto -outline-offset-2">
      <table className="w-full text-sm">
        <thead className="text-xs text-muted">
          <tr>
            <th scope="col" className="py-2 text-left font-normal">
              {firstColumn}
            </th>
            {columns.map((column) => (
              <th key={column} scope="col" className="py-2 pl-3 text-right font-normal sm:pl-4">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line border-t border-line">
          {rows.map((row) => (
            <tr key={row.label}>
              <th
                scope="row"
                className="max-w-24 truncate sm:max-w-64 py-2 text-left font-normal"
                title={row.label}
              >
                <bdi>{row.label}</bdi>
              </th>
              <td className={cell}>
                {formatCosts(row.costs)}
                {row.costs.length > 0 && row.unpriced_calls > 0 && (
                  <span className="block text-xs text-muted">+ unknown</span>
                )}
              </td>
              <td className={cell}>{formatTokens(row, row.input_tokens)}</td>
              <td className={cell}>{formatTokens(row, row.output_tokens)}</td>
              <td className={cell}>{formatCount(row.calls)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Formats a sum of tokens; 'unknown' if it is 0 because no call was fully counted. */
export function formatTokens({ calls, uncounted_calls }: UsageTotals, tokens: number): string {
  return tokens === 0 && uncounted_calls === calls && calls > 0 ? 'unknown' : formatCount(tokens)
}
