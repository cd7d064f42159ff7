import type { Cost } from '@yonder/contract/usage/usage-report'

/** `12,345` */
export function formatCount(count: number): string {
  return count.toLocaleString('en')
}

const thousand = 1_000
const million = 1_000_000

/** `950`, `12.3k`, `1.2M`: for a place where the exact number is beside it or in its tooltip. */
export function formatShortCount(count: number): string {
  if (count < thousand) return String(count)
  // 999,950 would be rounded to 1000k.
  const [unit, letter] = count < million - thousand / 20 ? [thousand, 'k'] : [million, 'M']
  return `${(count / unit).toLocaleString('en', { maximumFractionDigits: 1 })}${letter}`
}

/** The smallest amount of which two decimals show two digits. */
const minPlainAmount = 0.1
const smallDigits = 2

/** `$1.24`, and two significant digits of a small amount: `$0.0045`. */
export function formatCost({ currency, amount }: Cost): string {
  const value = Number(amount)
  const isSmall = value > 0 && value < minPlainAmount
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    ...(isSmall && { maximumSignificantDigits: smallDigits, minimumSignificantDigits: 1 }),
  }).format(value)
}

/** The costs in each currency, or 'unknown' when there is none. */
export function formatCosts(costs: readonly Cost[]): string {
  return costs.length === 0 ? 'unknown' : costs.map(formatCost).join(' + ')
}
