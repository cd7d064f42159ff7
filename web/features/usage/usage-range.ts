export const rangeNames = {
  'this-month': 'This month',
  'last-month': 'Last month',
  'twelve-months': 'Last 12 months',
} as const

export type UsageRange = keyof typeof rangeNames

/** Days as `2026-11-24`. */
export interface UsageDays {
  readonly from: string
  readonly to: string
}

/** The first month of each range, counted from the current one, and the number of its months. */
const spans = { 'this-month': [0, 1], 'last-month': [-1, 1], 'twelve-months': [-11, 12] } as const

/** The first and the last day of a range of whole months. `today` is read in local time. */
export function daysOfRange(range: UsageRange, today: Date): UsageDays {
  const [offset, count] = spans[range]
  const [year, first] = [today.getFullYear(), today.getMonth() + offset]
  // In UTC, so that daylight saving time does not shift a day.
  return { from: toDay(Date.UTC(year, first, 1)), to: toDay(Date.UTC(year, first + count, 0)) }
}

function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, '2026-11-24'.length)
}

const dayMs = 86_400_000

/** Every day of a range. */
export function listDays({ from, to }: UsageDays): readonly string[] {
  const first = Date.parse(from)
  return Array.from({ length: (Date.parse(to) - first) / dayMs + 1 }, (_, index) =>
    toDay(first + index * dayMs),
  )
}

/** Every month of a range, as `2026-11`. */
export function listMonths(days: UsageDays): readonly string[] {
  return [...new Set(listDays(days).map((day) => day.slice(0, '2026-11'.length)))]
}
