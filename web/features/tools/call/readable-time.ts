/** A time as users read it: in their language, with the weekday, and in the time zone of this browser if possible. */
export interface ReadableTime {
  readonly text: string
  /** The time in the time zone that the tool uses, or a remark that `text` is in the time zone of the calendar. */
  readonly note?: string
}

const localTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/
const timeWithOffset = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/
const day = /^\d{4}-\d\d-\d\d$/

/**
 * Formats a time of a calendar tool: a day, a local time in `zone`, or a time with its offset. Without `zone`, a local
 * time gets the note that it is in the time zone of the user's calendar. Returns undefined for any other text, and for
 * a local time in a zone that the browser does not have.
 */
export function readTime(text: string, zone: string | undefined): ReadableTime | undefined {
  if (!isValidTime(text)) return undefined
  if (day.test(text)) return format(Date.parse(`${text}T00:00Z`), { dateStyle: 'full', timeZone: 'UTC' })
  if (timeWithOffset.test(text)) return format(Date.parse(text), dateAndTime)
  if (!localTime.test(text)) return undefined
  const clock = Date.parse(`${text}Z`)
  const shown = format(clock, { ...dateAndTime, timeZone: 'UTC' })
  if (shown === undefined) return undefined
  if (zone === undefined) return { ...shown, note: 'in the time zone of your calendar' }
  const instant = findInstant(clock, zone)
  if (instant === undefined) return undefined
  const here = format(instant, dateAndTime)
  return here === undefined || here.text === shown.text ? here : { ...here, note: `${shown.text} in ${zone}` }
}

/** Whether a date and time exist. `Date.parse` alone takes February 31 for March 3, and 24:00 for the next day. */
function isValidTime(text: string): boolean {
  const clock = text.slice(0, 16)
  const instant = Date.parse(clock.length === 16 ? `${clock}Z` : `${clock}T00:00Z`)
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(clock)
}

// The clock has 24 hours everywhere.
const dateAndTime = { dateStyle: 'full', timeStyle: 'short', hourCycle: 'h23' } as const

function format(instant: number, options: Intl.DateTimeFormatOptions): ReadableTime | undefined {
  if (Number.isNaN(instant)) return undefined
  return { text: new Intl.DateTimeFormat(undefined, options).format(instant) }
}

/**
 * Returns when clocks in a time zone show a local time, in milliseconds since 1970; undefined when the browser does not
 * have the zone. `clock` is the local time as if it were UTC.
 */
function findInstant(clock: number, zone: string): number | undefined {
  try {
    // Near a change of the clocks the first offset can be wrong. The offset at the estimate is right.
    const estimate = clock - offsetAt(clock, zone)
    return clock - offsetAt(estimate, zone)
  } catch {
    // The zone is unknown to this browser.
    return undefined
  }
}

function offsetAt(instant: number, zone: string): number {
  // Sweden writes a date and a time as ISO 8601 does, with a space between them.
  const format = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  return Date.parse(`${format.format(instant).replace(' ', 'T')}Z`) - instant
}
