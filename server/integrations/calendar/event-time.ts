import type { calendar_v3 } from '@googleapis/calendar'
import { Temporal } from 'temporal-polyfill'
import { AppError } from '../../lib/app-error.ts'
import { refusal } from '../google/errors.ts'

type GoogleTime = calendar_v3.Schema$EventDateTime

/** A whole day, or a moment in a time zone. */
export type EventTime =
  | { readonly kind: 'day'; readonly day: Temporal.PlainDate }
  | { readonly kind: 'moment'; readonly moment: Temporal.ZonedDateTime }

/** For whole days, `end` is the last day of the event. */
export interface EventSpan {
  readonly start: EventTime
  readonly end: EventTime
}

export interface TimeRange {
  readonly from: Temporal.Instant
  readonly to: Temporal.Instant
}

const dayForm = /^\d{4}(-?)\d\d\1\d\d$/
/** A local time, then its UTC offset and its time zone in brackets. Offset and time zone may be missing. */
const timeForm = /^([\d-]+[T ][\d:.,]+)(Z|[+-]\d[\d:]*)?(?:\[([a-z][\w/+-]*)\])?$/i

/**
 * Parses a day (2026-03-29), a local time (2026-03-29T14:30), or a time with its UTC offset or time zone. The result is in `timeZone` unless the text names a zone.
 * @throws AppError `invalid_request` when it is in another form, its offset does not fit its zone, or the change of the
 * clocks skips or repeats it
 */
export function parseEventTime(field: string, text: string, timeZone: string): EventTime {
  try {
    if (dayForm.test(text)) return { kind: 'day', day: Temporal.PlainDate.from(text) }
    const form = timeForm.exec(text)
    if (form !== null) return { kind: 'moment', moment: readMoment(field, form, timeZone) }
  } catch (error) {
    if (error instanceof AppError) throw error
  }
  throw new AppError(
    'invalid_request',
    `"${field}" is not a time that can be used: "${text.slice(0, 60)}". Write 2026-03-29T14:30 or 2026-03-29T14:30+02:00, or 2026-03-29 for a whole day.`,
  )
}

function readMoment(field: string, form: RegExpExecArray, timeZone: string): Temporal.ZonedDateTime {
  const [text, local = '', offset, zone] = form
  if (offset === undefined) return toMoment(field, Temporal.PlainDateTime.from(local), zone ?? timeZone)
  if (zone === undefined) return Temporal.Instant.from(text).toZonedDateTimeISO(timeZone)
  return Temporal.ZonedDateTime.from(text)
}

/**
 * Parses the start and end of an event. It may end at the time or on the day at which it starts. `fields` are the names
 * of the two in the input of the tool, for errors.
 * @throws AppError `invalid_request` when one is not valid, when one is a day and the other is not, or when the end is
 * before the start
 */
export function parseEventSpan(
  start: string,
  end: string,
  timeZone: string,
  fields: readonly [start: string, end: string] = ['start', 'end'],
): EventSpan {
  const span = {
    start: parseEventTime(fields[0], start, timeZone),
    end: parseEventTime(fields[1], end, timeZone),
  }
  if (span.start.kind !== span.end.kind) {
    throw refusal(`"${fields[0]}" and "${fields[1]}" must both be days or both be times of day.`)
  }
  const [from, to] = [startOf(span.start, timeZone), startOf(span.end, timeZone)]
  if (to.epochMilliseconds < from.epochMilliseconds) {
    throw refusal('The event ends before it starts.')
  }
  return span
}

/**
 * Parses the range of a search. By default `from` is `now` (milliseconds since 1970), and `to` is one week after
 * `from`.
 * @throws AppError `invalid_request` when one is not valid, or when `to` is not later than `from`
 */
export function parseTimeRange(
  input: { readonly from?: string | undefined; readonly to?: string | undefined },
  timeZone: string,
  now: number,
): TimeRange {
  const from =
    input.from === undefined
      ? Temporal.Instant.fromEpochMilliseconds(now)
      : startOf(parseEventTime('from', input.from, timeZone), timeZone)
  const to =
    input.to === undefined
      ? from.add({ hours: 7 * 24 })
      : endOf(parseEventTime('to', input.to, timeZone), timeZone)
  if (to.epochMilliseconds > from.epochMilliseconds) return { from, to }
  throw new AppError('invalid_request', '"to" must be later than "from".')
}

/** @throws AppError `invalid_request` for an unknown time zone */
export function requireTimeZone(timeZone: string): string {
  try {
    // As a time zone, Temporal also accepts an offset such as +02:00 or a whole timestamp. Google accepts only names.
    if (/^[a-z]/i.test(timeZone)) return Temporal.Now.zonedDateTimeISO(timeZone).timeZoneId
  } catch {
    // Temporal does not know the name.
  }
  throw new AppError(
    'invalid_request',
    `"${timeZone.slice(0, 60)}" is not a time zone. Use a name such as Europe/Vienna.`,
  )
}

/** Returns when a time begins. A day begins at midnight in the time zone. */
export function startOf(time: EventTime, timeZone: string): Temporal.Instant {
  return time.kind === 'day' ? time.day.toZonedDateTime(timeZone).toInstant() : time.moment.toInstant()
}

/** Returns when a time ends. A day ends at the following midnight. */
function endOf(time: EventTime, timeZone: string): Temporal.Instant {
  return time.kind === 'day'
    ? time.day.add({ days: 1 }).toZonedDateTime(timeZone).toInstant()
    : time.moment.toInstant()
}

/** Formats an instant, such as `2026-03-29T14:30:00+02:00`. */
export function toRfc3339(instant: Temporal.Instant, timeZone: string): string {
  return instant.toZonedDateTimeISO(timeZone).toString({ timeZoneName: 'never', smallestUnit: 'second' })
}

/** Converts a time from Google. Returns undefined for a missing or invalid one. */
export function fromGoogleTime(time: GoogleTime | undefined, timeZone: string): EventTime | undefined {
  try {
    if (time?.date) return { kind: 'day', day: Temporal.PlainDate.from(time.date) }
    if (time?.dateTime) {
      const moment = Temporal.Instant.from(time.dateTime).toZonedDateTimeISO(timeZone)
      return { kind: 'moment', moment }
    }
  } catch {
    return undefined
  }
  return undefined
}

/** Converts a span for Google. For whole days, Google's end is the day after the last one. */
export function toGoogleSpan({ start, end }: EventSpan): { start: GoogleTime; end: GoogleTime } {
  return {
    start: toGoogleTime(start),
    end: toGoogleTime(end.kind === 'day' ? { kind: 'day', day: end.day.add({ days: 1 }) } : end),
  }
}

/** Sets the fields of the other kind to null, because a patch would otherwise keep them. */
function toGoogleTime(time: EventTime): GoogleTime {
  if (time.kind === 'day') return { date: time.day.toString(), dateTime: null, timeZone: null }
  const dateTime = time.moment.toString({ timeZoneName: 'never', smallestUnit: 'second' })
  return { date: null, dateTime, timeZone: time.moment.timeZoneId }
}

/** @throws AppError `invalid_request` for a time that a change of the clocks skips or repeats */
function toMoment(field: string, local: Temporal.PlainDateTime, timeZone: string): Temporal.ZonedDateTime {
  const earlier = local.toZonedDateTime(timeZone, { disambiguation: 'earlier' })
  const later = local.toZonedDateTime(timeZone, { disambiguation: 'later' })
  if (earlier.epochMilliseconds === later.epochMilliseconds) return earlier
  throw new AppError(
    'invalid_request',
    earlier.toPlainDateTime().equals(local)
      ? `"${field}": ${local.toString()} occurs twice in ${timeZone}, because the clocks are put back. Add ${earlier.offset} or ${later.offset}.`
      : `"${field}": ${local.toString()} does not exist in ${timeZone}, because the clocks are put forward. Use another time.`,
  )
}
