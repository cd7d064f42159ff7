import { Temporal } from 'temporal-polyfill'

/** The beginning of an occurrence: a day, or a moment in the zone of its series. */
export type Occurrence = Temporal.PlainDate | Temporal.ZonedDateTime

const weekdays = ['', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
/** Days looked at; who asks for more than ten years of a series gets those. */
const mostDays = 3_660

/**
 * The occurrences of a series until a moment, by the rules that tests use: FREQ (daily, weekly, monthly), INTERVAL, BYDAY,
 * COUNT, UNTIL.
 */
export function expandRecurrence(start: Occurrence, rules: readonly string[], until: number): Occurrence[] {
  const rule = new Map(
    (rules.find((line) => line.startsWith('RRULE:')) ?? '')
      .slice('RRULE:'.length)
      .split(';')
      .map((part): [string, string] => [part.split('=')[0] ?? '', part.split('=')[1] ?? '']),
  )
  const most = Number(rule.get('COUNT') ?? Number.POSITIVE_INFINITY)
  const end = Math.min(until, readUntil(rule.get('UNTIL')))
  const found: Occurrence[] = []
  for (let days = 0; days < mostDays && found.length < most; days++) {
    const candidate = start.add({ days })
    if (toMilliseconds(candidate) > end) break
    if (fits(rule, start, candidate, days)) found.push(candidate)
  }
  return found
}

export function toMilliseconds(time: Occurrence): number {
  return time instanceof Temporal.ZonedDateTime
    ? time.epochMilliseconds
    : time.toZonedDateTime('UTC').epochMilliseconds
}

function fits(
  rule: ReadonlyMap<string, string>,
  start: Occurrence,
  candidate: Occurrence,
  days: number,
): boolean {
  const interval = Number(rule.get('INTERVAL') ?? 1)
  const byDay = rule.get('BYDAY')?.split(',')
  const isDay = byDay?.includes(weekdays[candidate.dayOfWeek] ?? '')
  switch (rule.get('FREQ')) {
    case 'DAILY':
      return days % interval === 0 && isDay !== false
    case 'WEEKLY': {
      const week = Math.floor((days + start.dayOfWeek - 1) / 7)
      return week % interval === 0 && (isDay ?? candidate.dayOfWeek === start.dayOfWeek)
    }
    case 'MONTHLY':
      return candidate.day === start.day
    default:
      return days === 0
  }
}

/** `20260330` or `20260330T065959Z` */
function readUntil(text: string | undefined): number {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z)?$/.exec(text ?? '') ?? []
  if (year === undefined) return Number.POSITIVE_INFINITY
  return Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour ?? 0),
    Number(minute ?? 0),
    Number(second ?? 0),
  )
}
