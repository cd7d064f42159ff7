import type { calendar_v3 } from '@googleapis/calendar'
import { Temporal } from 'temporal-polyfill'
import { AppError } from '../../lib/app-error.ts'

type Event = calendar_v3.Schema$Event
type GoogleTime = calendar_v3.Schema$EventDateTime

/** Where an occurrence stands in its series, wherever it was moved to. */
export function placeOf(occurrence: Event): GoogleTime {
  return occurrence.originalStartTime ?? occurrence.start ?? {}
}

export function isFirstOccurrence(series: Event, occurrence: Event): boolean {
  return toMilliseconds(placeOf(occurrence)) <= toMilliseconds(series.start ?? {})
}

/** Milliseconds since 1970; a day counts from midnight in UTC, to be compared with other days. */
export function toMilliseconds({ date, dateTime }: GoogleTime): number {
  return Date.parse(dateTime ?? date ?? '')
}

/** The rules of a series that ends before one of its occurrences. */
export function endBefore(rules: readonly string[], place: GoogleTime): string[] {
  const until = place.date
    ? Temporal.PlainDate.from(place.date).subtract({ days: 1 }).toString().replaceAll('-', '')
    : new Date(toMilliseconds(place) - 1_000).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  return changeRule(rules, (parts) => [...without(parts, ['COUNT', 'UNTIL']), `UNTIL=${until}`])
}

/** When a series ends, as its rules say it; nothing where they do not. */
export function untilOf(rules: readonly string[]): string | undefined {
  const [until] = rules.flatMap((rule) => /^RRULE:.*\bUNTIL=(\w+)/i.exec(rule)?.[1] ?? [])
  return until?.toUpperCase()
}

/** The rules of what goes on after so many occurrences: a number of repetitions goes down by those. */
export function goOnAfter(rules: readonly string[], passed: number): string[] {
  return changeRule(rules, (parts) =>
    parts.map((part) => {
      const count = /^COUNT=(\d+)$/i.exec(part)?.[1]
      return count === undefined ? part : `COUNT=${Math.max(1, Number(count) - passed)}`
    }),
  )
}

/** Whether the series ends after a number of repetitions. */
export function isCounted(rules: readonly string[]): boolean {
  return rules.some((rule) => /^RRULE:.*\bCOUNT=/i.test(rule))
}

/**
 * A rule as a tool was given it, with or without its name before it.
 * @throws AppError `invalid_request`
 */
export function requireRule(text: string): string {
  const rule = text
    .trim()
    .toUpperCase()
    .replace(/^RRULE:/, '')
  if (/^FREQ=(DAILY|WEEKLY|MONTHLY|YEARLY)(;[A-Z]+=[A-Z0-9,+-]+)*$/.test(rule)) return `RRULE:${rule}`
  throw new AppError(
    'invalid_request',
    `"${text.slice(0, 100)}" is no rule of repetition such as FREQ=WEEKLY;BYDAY=MO;COUNT=10. Nothing was done.`,
  )
}

function changeRule(rules: readonly string[], change: (parts: string[]) => string[]): string[] {
  return rules.map((rule) => {
    if (!/^RRULE:/i.test(rule)) return rule
    return `RRULE:${change(rule.slice('RRULE:'.length).split(';')).join(';')}`
  })
}

function without(parts: readonly string[], names: readonly string[]): string[] {
  return parts.filter((part) => !names.includes(part.split('=')[0]?.toUpperCase() ?? ''))
}
