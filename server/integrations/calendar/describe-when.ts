import type { calendar_v3 } from '@googleapis/calendar'
import type { Temporal } from 'temporal-polyfill'
import { readGoogleTime } from './google-event-time.ts'

const weekdays = ['', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/** When an event is, as people say it: "Mon 2026-03-30 09:00 to 09:30". */
export function describeWhen(event: calendar_v3.Schema$Event, timeZone: string): string {
  const start = readGoogleTime(event.start, timeZone)
  const end = event.endTimeUnspecified === true ? undefined : readGoogleTime(event.end, timeZone)
  if (start === undefined) return 'at no known time'
  if (start.kind === 'day') {
    const first = describeDay(start.day)
    const last = end?.kind === 'day' ? end.day.subtract({ days: 1 }) : start.day
    return last.toString() > start.day.toString()
      ? `all day, ${first} to ${describeDay(last)}`
      : `all day, ${first}`
  }
  const begins = describeMoment(start.moment)
  if (end?.kind !== 'moment') return `${begins}, without an end`
  const sameDay = end.moment.toPlainDate().equals(start.moment.toPlainDate())
  return `${begins} to ${sameDay ? describeClock(end.moment) : describeMoment(end.moment)}`
}

/** "Mon 2026-03-30 09:00" */
export function describeMoment(moment: Temporal.ZonedDateTime): string {
  return `${describeDay(moment.toPlainDate())} ${describeClock(moment)}`
}

export function describeDay(day: Temporal.PlainDate): string {
  return `${weekdays[day.dayOfWeek] ?? ''} ${day.toString()}`
}

/** An hour that comes twice, when clocks are put back, says which it is. */
function describeClock(moment: Temporal.ZonedDateTime): string {
  const clock = moment.toPlainTime().toString({ smallestUnit: 'minute' })
  const twice = moment.toPlainDateTime().toZonedDateTime(moment.timeZoneId, { disambiguation: 'later' })
  const earlier = moment.toPlainDateTime().toZonedDateTime(moment.timeZoneId, { disambiguation: 'earlier' })
  return twice.epochMilliseconds === earlier.epochMilliseconds ? clock : `${clock}${moment.offset}`
}

/** What a tool is told to name the beginning of an event: `2026-03-30T09:00`, or `2026-03-30`. */
export function nameStart(event: calendar_v3.Schema$Event, timeZone: string): string {
  const start = readGoogleTime(event.start, timeZone)
  if (start === undefined) return ''
  if (start.kind === 'day') return start.day.toString()
  return start.moment.toString({ timeZoneName: 'never', smallestUnit: 'minute' })
}
