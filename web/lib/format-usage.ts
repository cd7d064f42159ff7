import type { Cost } from '@yonder/contract/usage/usage-report'

/** Formats a number exactly, for example `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en')
}

const thousand = 1_000
const million = 1_000_000
/** Numbers from here on are shown in millions. In thousands, with one decimal, they would be rounded to 1,000. */
const minMillion = million - thousand / 20

/** Formats a number in a short form, for example `950`, `12.3k` or `1.2M`. */
export function formatShortCount(count: number): string {
  if (count < thousand) return String(count)
  const [unit, letter] = count < minMillion ? [thousand, 'k'] : [million, 'M']
  return `${(count / unit).toLocaleString('en', { maximumFractionDigits: 1 })}${letter}`
}

const billion = 1_000_000_000
/** The same for gigabytes, in which sizes are shown from here on. */
const minBillion = billion - million / 20

/** Formats a size, for example `512 B`, `2.5 kB`, `1.2 MB` or `3.4 GB`. */
export function formatBytes(bytes: number): string {
  if (bytes < thousand) return `${bytes} B`
  const [unit, name] =
    bytes < minMillion ? [thousand, 'kB'] : bytes < minBillion ? [million, 'MB'] : [billion, 'GB']
  return `${(bytes / unit).toFixed(1)} ${name}`
}

/** Formats a limit of a size, which is most often a whole number: `25 MB`. */
export function formatLimit(bytes: number): string {
  return formatBytes(bytes).replace('.0 ', ' ')
}

/** From this amount on, two decimals show at least two significant digits. 0.0995 is rounded to 0.10. */
const minPlainAmount = 0.0995
const smallDigits = 2

/** Formats a cost, for example `$1.24`. A small amount has at most two significant digits: `$0.0045`. */
export function formatCost({ currency, amount }: Cost): string {
  const value = Number(amount)
  const isSmall = value > 0 && value < minPlainAmount
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    ...(isSmall && { maximumSignificantDigits: smallDigits, minimumSignificantDigits: 1 }),
  }).format(value)
}

/** Formats the costs in each currency, or returns 'unknown' when there is none. */
export function formatCosts(costs: readonly Cost[]): string {
  return costs.length === 0 ? 'unknown' : costs.map(formatCost).join(' + ')
}
