import type { calendar_v3 } from '@googleapis/calendar'
import { Temporal } from 'temporal-polyfill'
import { refusal } from '../google/errors.ts'
import { fromGoogleTime, type EventSpan } from './event-time.ts'

type Event = calendar_v3.Schema$Event
type GoogleTime = calendar_v3.Schema$EventDateTime

// Rules are edited as text, so that only one part changes. The library rrule-temporal would rewrite the whole rule.

/** The start of an occurrence by the rule of its series. An occurrence that was moved starts at another time. */
export function originalStartOf(occurrence: Event): GoogleTime {
  return occurrence.originalStartTime ?? occurrence.start ?? {}
}

/** Whether the series begins with this occurrence. */
export function isFirstOccurrence(series: Event, occurrence: Event): boolean {
  return toMilliseconds(originalStartOf(occurrence)) <= toMilliseconds(series.start ?? {})
}

/**
 * Milliseconds since 1970, NaN without a time. A day counts as midnight UTC, so days can be compared with days only.
 */
export function toMilliseconds({ date, dateTime }: GoogleTime): number {
  return Date.parse(dateTime ?? date ?? '')
}

/** Returns the rules of a series that ends before its occurrence at `start`. UNTIL is the last day or second. */
export function endBefore(rules: readonly string[], start: GoogleTime): string[] {
  const until = start.date
    ? Temporal.PlainDate.from(start.date).subtract({ days: 1 }).toString().replaceAll('-', '')
    : new Date(toMilliseconds(start) - 1_000).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  return mapRules(rules, (parts) => [...omitParts(parts, ['COUNT', 'UNTIL']), `UNTIL=${until}`])
}

/** The value of UNTIL in the rules, if there is one. */
export function untilOf(rules: readonly string[]): string | undefined {
  const [until] = rules.flatMap((rule) => /^RRULE:.*\bUNTIL=(\w+)/i.exec(rule)?.[1] ?? [])
  return until?.toUpperCase()
}

/** Whether the series ends after a number of occurrences. */
export function isCounted(rules: readonly string[]): boolean {
  return rules.some((rule) => /^RRULE:.*\bCOUNT=/i.test(rule))
}

/** Returns the rules for the rest of a series after `passed` occurrences, which are subtracted from COUNT. */
export function continueAfter(rules: readonly string[], passed: number): string[] {
  return mapRules(rules, (parts) =>
    parts.map((part) => {
      const count = /^COUNT=(\d+)$/i.exec(part)?.[1]
      return count === undefined ? part : `COUNT=${Math.max(1, Number(count) - passed)}`
    }),
  )
}

/**
 * Returns a rule from a tool call, which may begin with "RRULE:", as Google expects it.
 * @throws AppError `invalid_request`
 */
export function requireRule(text: string): string {
  const rule = text
    .trim()
    .toUpperCase()
    .replace(/^RRULE:/, '')
  if (/^FREQ=(DAILY|WEEKLY|MONTHLY|YEARLY)(;[A-Z]+=[A-Z0-9,+-]+)*$/.test(rule)) return `RRULE:${rule}`
  throw refusal(
    `"${text.slice(0, 100)}" is not a recurrence rule that can be used here. Write one such as FREQ=WEEKLY;BYDAY=MO;COUNT=10. FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY.`,
  )
}

/**
 * Returns the times of a whole series when one of its occurrences moves to `span`. The series keeps its local time: one
 * that starts at nine still starts at nine after a change of the clocks.
 * @throws AppError `invalid_request` for a move to another day without a new rule, and between days and times of day
 */
export function moveSeries(
  series: Event,
  occurrence: Event,
  span: EventSpan,
  options: { readonly timeZone: string; readonly hasNewRule: boolean },
): EventSpan {
  const zone = series.start?.timeZone ?? options.timeZone
  const first = fromGoogleTime(series.start, zone)
  const original = fromGoogleTime(originalStartOf(occurrence), zone)
  const { start, end } = span
  if (first?.kind === 'day' && original?.kind === 'day' && start.kind === 'day' && end.kind === 'day') {
    const days = requireShift(original.day.until(start.day).days, options.hasNewRule)
    const day = first.day.add({ days })
    return {
      start: { kind: 'day', day },
      end: { kind: 'day', day: day.add({ days: start.day.until(end.day).days }) },
    }
  }
  if (
    first?.kind === 'moment' &&
    original?.kind === 'moment' &&
    start.kind === 'moment' &&
    end.kind === 'moment'
  ) {
    const newStart = start.moment.withTimeZone(zone)
    const shift = original.moment.toPlainDate().until(newStart.toPlainDate()).days
    const days = requireShift(shift, options.hasNewRule)
    const day = first.moment.toPlainDate().add({ days })
    const moment = day.toPlainDateTime(newStart.toPlainTime()).toZonedDateTime(zone)
    const milliseconds = end.moment.epochMilliseconds - start.moment.epochMilliseconds
    return {
      start: { kind: 'moment', moment },
      end: { kind: 'moment', moment: moment.add({ milliseconds }) },
    }
  }
  throw refusal('A series cannot change between times of day and whole days. Create a new one instead.')
}

/**
 * Returns `days`, by which a series is moved.
 * @throws AppError `invalid_request` unless it is 0 or the series gets a new rule
 */
function requireShift(days: number, hasNewRule: boolean): number {
  if (days === 0 || hasNewRule) return days
  throw refusal('To move a whole series to another day, give its new days in "new_recurrence".')
}

/** Applies `change` to the parts of each RRULE. Other lines, such as EXDATE, stay as they are. */
function mapRules(rules: readonly string[], change: (parts: string[]) => string[]): string[] {
  return rules.map((rule) => {
    if (!/^RRULE:/i.test(rule)) return rule
    return `RRULE:${change(rule.slice('RRULE:'.length).split(';')).join(';')}`
  })
}

function omitParts(parts: readonly string[], names: readonly string[]): string[] {
  return parts.filter((part) => !names.includes(part.split('=')[0]?.toUpperCase() ?? ''))
}
