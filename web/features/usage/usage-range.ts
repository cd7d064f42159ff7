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

/** The first and the last day of a range of whole months. `today` is read in local time. */
export function daysOfRange(range: UsageRange, today: Date): UsageDays {
  const [year, month] = [today.getFullYear(), today.getMonth()]
  switch (range) {
    case 'this-month':
      return wholeMonths(year, month, 1)
    case 'last-month':
      return wholeMonths(year, month - 1, 1)
    case 'twelve-months':
      return wholeMonths(year, month - 11, 12)
  }
}

/** Calculated in UTC, so that daylight saving time does not shift a day. */
function wholeMonths(year: number, firstMonth: number, count: number): UsageDays {
  return {
    from: toDay(Date.UTC(year, firstMonth, 1)),
    to: toDay(Date.UTC(year, firstMonth + count, 0)),
  }
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
