import type { calendar_v3 } from '@googleapis/calendar'
import { AppError } from '../../lib/app-error.ts'
import { placeOf } from './cut-recurrence.ts'
import type { EventSpan } from './event-span.ts'
import { readGoogleTime, zoneOf } from './google-event-time.ts'

type Event = calendar_v3.Schema$Event

/**
 * The times of a whole series, so that an occurrence of it stands where it is wanted. The clock counts and not the moment:
 * a series at nine stays at nine across a change of clocks.
 * @throws AppError `invalid_request` for a move to another day without a rule that says which days those are
 */
export function moveSeries(
  series: Event,
  occurrence: Event,
  span: EventSpan,
  options: { readonly timeZone: string; readonly hasNewRule: boolean },
): EventSpan {
  const zone = zoneOf(series.start, options.timeZone)
  const first = readGoogleTime(series.start, zone)
  const place = readGoogleTime(placeOf(occurrence), zone)
  if (
    first?.kind === 'day' &&
    place?.kind === 'day' &&
    span.start.kind === 'day' &&
    span.end.kind === 'day'
  ) {
    const days = requireShift(place.day.until(span.start.day).days, options.hasNewRule)
    const day = first.day.add({ days })
    return {
      start: { kind: 'day', day },
      end: { kind: 'day', day: day.add({ days: span.start.day.until(span.end.day).days }) },
    }
  }
  if (
    first?.kind === 'moment' &&
    place?.kind === 'moment' &&
    span.start.kind === 'moment' &&
    span.end.kind === 'moment'
  ) {
    const wanted = span.start.moment.withTimeZone(zone)
    const shift = place.moment.toPlainDate().until(wanted.toPlainDate()).days
    const days = requireShift(shift, options.hasNewRule)
    const day = first.moment.toPlainDate().add({ days })
    const start = day.toPlainDateTime(wanted.toPlainTime()).toZonedDateTime(zone)
    const milliseconds = span.end.moment.epochMilliseconds - span.start.moment.epochMilliseconds
    return {
      start: { kind: 'moment', moment: start },
      end: { kind: 'moment', moment: start.add({ milliseconds }) },
    }
  }
  throw new AppError(
    'invalid_request',
    'A series cannot change between times of day and whole days. Make a new one instead. Nothing was done.',
  )
}

function requireShift(days: number, hasNewRule: boolean): number {
  if (days === 0 || hasNewRule) return days
  throw new AppError(
    'invalid_request',
    'To move a whole series to another day, say in "new_recurrence" on which days it repeats. Nothing was done.',
  )
}
