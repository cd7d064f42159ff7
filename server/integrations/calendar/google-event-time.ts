import type { calendar_v3 } from '@googleapis/calendar'
import { Temporal } from 'temporal-polyfill'
import type { EventTime } from './event-time.ts'

type GoogleTime = calendar_v3.Schema$EventDateTime

/** A time of Google's, in the time zone in which it is shown. */
export function readGoogleTime(time: GoogleTime | undefined, timeZone: string): EventTime | undefined {
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

/** The time zone in which an event repeats. */
export function zoneOf(time: GoogleTime | undefined, timeZone: string): string {
  return time?.timeZone ?? timeZone
}

/** What begins an event, as Google takes it. Null takes away what the other kind of event has. */
export function toGoogleStart(time: EventTime): GoogleTime {
  return time.kind === 'day' ? toGoogleDay(time.day) : toGoogleMoment(time.moment)
}

/** What ends an event: of one of whole days people name the last day, and Google wants the one after it. */
export function toGoogleEnd(time: EventTime): GoogleTime {
  return time.kind === 'day' ? toGoogleDay(time.day.add({ days: 1 })) : toGoogleMoment(time.moment)
}

function toGoogleDay(day: Temporal.PlainDate): GoogleTime {
  return { date: day.toString(), dateTime: null, timeZone: null }
}

function toGoogleMoment(moment: Temporal.ZonedDateTime): GoogleTime {
  const dateTime = moment.toString({ timeZoneName: 'never', smallestUnit: 'second' })
  return { date: null, dateTime, timeZone: moment.timeZoneId }
}
