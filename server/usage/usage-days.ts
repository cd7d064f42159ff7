import { maxUsageDays, type UsageQuery } from '@yonder/contract/usage/usage-report'
import { Temporal } from 'temporal-polyfill'
import { AppError } from '../lib/app-error.ts'
import type { UsageDay } from './usage-store.ts'

/**
 * The days of a query in its time zone. A day on which the clocks change is shorter or longer than 24 hours.
 * @throws AppError `invalid_request`
 */
export function listUsageDays({ from, to, time_zone }: UsageQuery): readonly UsageDay[] {
  const first = parseDay('from', from)
  const last = parseDay('to', to)
  const count = first.until(last, { largestUnit: 'days' }).days + 1
  if (count < 1) throw new AppError('invalid_request', 'from: must not be later than to')
  if (count > maxUsageDays)
    throw new AppError('invalid_request', `to: a range must have at most ${maxUsageDays} days`)
  const starts = Array.from({ length: count + 1 }, (_, index) =>
    startOf(first.add({ days: index }), time_zone),
  )
  return starts.slice(0, -1).map((start, index) => ({
    day: first.add({ days: index }).toString(),
    start,
    end: starts[index + 1] ?? start,
  }))
}

/**
 * The current day in a time zone, such as `2026-11-24`.
 * @throws AppError `invalid_request`
 */
export function todayIn(timeZone: string): string {
  startOf(Temporal.PlainDate.from({ year: minYear, month: 1, day: 1 }), timeZone)
  return Temporal.Now.plainDateISO(timeZone).toString()
}

const minYear = 1970
/** One less than the last year of four digits, because a day ends where the next one starts. */
const maxYear = 9998

function parseDay(field: string, text: string): Temporal.PlainDate {
  try {
    const day = Temporal.PlainDate.from(text, { overflow: 'reject' })
    if (day.year >= minYear && day.year <= maxYear) return day
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  throw new AppError('invalid_request', `${field}: there is no day ${text}`)
}

function startOf(day: Temporal.PlainDate, timeZone: string): number {
  try {
    return day.toZonedDateTime({ timeZone }).epochMilliseconds
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new AppError('invalid_request', `time_zone: there is no time zone ${timeZone}`)
  }
}
