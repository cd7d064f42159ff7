import { Temporal } from 'temporal-polyfill'
import { AppError } from '../../lib/app-error.ts'

/** When something begins or ends: on a day, or at a moment in a time zone. */
export type EventTime =
  | { readonly kind: 'day'; readonly day: Temporal.PlainDate }
  | { readonly kind: 'moment'; readonly moment: Temporal.ZonedDateTime }

/**
 * A time as a tool was given it: a day (2026-03-29), a time of the person's zone (2026-03-29T14:30), or one with its
 * distance from UTC.
 * @throws AppError `invalid_request` for what is no time, or none in this zone: clocks that are put forward skip an hour
 */
export function parseEventTime(name: string, text: string, timeZone: string): EventTime {
  try {
    if (/^\d{4}-\d\d-\d\d$/.test(text)) return { kind: 'day', day: Temporal.PlainDate.from(text) }
    if (/(Z|[+-]\d\d(:?\d\d)?)$/i.test(text)) {
      return { kind: 'moment', moment: Temporal.Instant.from(text).toZonedDateTimeISO(timeZone) }
    }
    const local = Temporal.PlainDateTime.from(text)
    return { kind: 'moment', moment: toMoment(name, local, timeZone) }
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError(
      'invalid_request',
      `"${name}" is no time: "${text.slice(0, 60)}". Write 2026-03-29T14:30, or 2026-03-29 for a whole day.`,
    )
  }
}

/** @throws AppError `invalid_request` */
function toMoment(name: string, local: Temporal.PlainDateTime, timeZone: string): Temporal.ZonedDateTime {
  const first = local.toZonedDateTime(timeZone, { disambiguation: 'earlier' })
  const last = local.toZonedDateTime(timeZone, { disambiguation: 'later' })
  if (first.epochMilliseconds === last.epochMilliseconds) return first
  const { offset: one } = first
  const { offset: other } = last
  throw new AppError(
    'invalid_request',
    first.toPlainDateTime().equals(local)
      ? `"${name}": ${local.toString()} comes twice in ${timeZone}, because clocks are put back. Add ${one} or ${other}.`
      : `"${name}": there is no ${local.toString()} in ${timeZone}, because clocks are put forward. Take another time.`,
  )
}

/** @throws AppError `invalid_request` when nothing is called so */
export function requireTimeZone(timeZone: string): string {
  try {
    return Temporal.Now.zonedDateTimeISO(timeZone).timeZoneId
  } catch {
    throw new AppError(
      'invalid_request',
      `"${timeZone.slice(0, 60)}" is no time zone. Use a name such as Europe/Vienna.`,
    )
  }
}

/** The moment at which this begins; a day begins at midnight of the zone. */
export function beginOf(time: EventTime, timeZone: string): Temporal.Instant {
  return time.kind === 'day' ? time.day.toZonedDateTime(timeZone).toInstant() : time.moment.toInstant()
}

/** The moment at which a range ends that names this as its last: a day is over at the next midnight. */
export function endOf(time: EventTime, timeZone: string): Temporal.Instant {
  return time.kind === 'day'
    ? time.day.add({ days: 1 }).toZonedDateTime(timeZone).toInstant()
    : time.moment.toInstant()
}

/** `2026-03-29T14:30+02:00` */
export function toRfc3339(instant: Temporal.Instant, timeZone: string): string {
  return instant.toZonedDateTimeISO(timeZone).toString({ timeZoneName: 'never', smallestUnit: 'second' })
}
