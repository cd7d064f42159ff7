import type { calendar_v3 } from '@googleapis/calendar'
import type { Temporal } from 'temporal-polyfill'
import { collapseSpaces, cutWithNote } from '../../lib/text.ts'
import { convertHtml, type ToolCallContext } from '../google/convert-html.ts'
import { fromGoogleTime } from './event-time.ts'

type Event = calendar_v3.Schema$Event
type Guest = calendar_v3.Schema$EventAttendee

/** Guests beyond this number are counted but not listed. */
const maxListedGuests = 200
/** From the first guest that would exceed this length, guests are counted but not listed. */
const maxGuestListChars = 10_000
const maxLineChars = 1_000
const maxDescriptionChars = 10_000

const responses: Readonly<Record<string, string>> = {
  accepted: 'accepted',
  declined: 'declined',
  tentative: 'maybe',
  needsAction: 'not answered',
}

const weekdays = ['', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/** Describes an event in a few lines, with its times in the user's time zone. */
export function presentEventSummary(event: Event, timeZone: string): string {
  const ownResponse = event.attendees?.find(({ self }) => self)?.responseStatus ?? ''
  return joinLines([
    `event_id: ${event.id ?? ''}`,
    `Title: ${line(event.summary) ?? '(without a title)'}`,
    `When: ${describeWhen(event, timeZone)}`,
    `Start: ${formatStart(event, timeZone)}`,
    event.recurringEventId ? `Series: ${event.recurringEventId}` : undefined,
    named('Repeats', event.recurrence?.join(' ')),
    named('Where', event.location),
    event.status === 'cancelled' || event.status === 'tentative' ? `Status: ${event.status}` : undefined,
    named('Your answer', responses[ownResponse]),
    event.attendees ? `Guests: ${event.attendees.length}` : undefined,
  ])
}

/** Describes a whole event, with guests and description. */
export async function presentEvent(
  context: ToolCallContext,
  event: Event,
  timeZone: string,
): Promise<string> {
  const description = cutWithNote(
    await readDescription(context, event.description ?? ''),
    maxDescriptionChars,
  )
  return joinLines([
    presentEventSummary(event, timeZone),
    named('Organizer', describeContact(event.organizer)),
    describeGuests(event.attendees ?? []),
    named('Video call', event.hangoutLink),
    named('Link', event.htmlLink),
    description === '' ? undefined : `Description:\n${description}`,
  ])
}

/** Returns the times of an event, such as "Mon 2026-03-30 09:00 to 09:30". */
export function describeWhen(event: Event, timeZone: string): string {
  const start = fromGoogleTime(event.start, timeZone)
  const end = event.endTimeUnspecified === true ? undefined : fromGoogleTime(event.end, timeZone)
  if (start === undefined) return 'at an unknown time'
  if (start.kind === 'day') {
    const first = describeDay(start.day)
    const last = end?.kind === 'day' ? end.day.subtract({ days: 1 }) : start.day
    return last.toString() > start.day.toString()
      ? `all day, ${first} to ${describeDay(last)}`
      : `all day, ${first}`
  }
  const starts = describeMoment(start.moment)
  if (end?.kind !== 'moment') return `${starts}, without an end`
  const isSameDay = end.moment.toPlainDate().equals(start.moment.toPlainDate())
  return `${starts} to ${isSameDay ? describeTimeOfDay(end.moment) : describeMoment(end.moment)}`
}

/** Returns a time with its weekday, such as "Mon 2026-03-30 09:00". */
export function describeMoment(moment: Temporal.ZonedDateTime): string {
  return `${describeDay(moment.toPlainDate())} ${describeTimeOfDay(moment)}`
}

/** The start of an event as the tools accept it: `2026-03-30T09:00+02:00`, or `2026-03-30` for a whole day. */
export function formatStart(event: Event, timeZone: string): string {
  const start = fromGoogleTime(event.start, timeZone)
  if (start === undefined) return ''
  if (start.kind === 'day') return start.day.toString()
  return start.moment.toString({ timeZoneName: 'never', smallestUnit: 'minute' })
}

function describeDay(day: Temporal.PlainDate): string {
  return `${weekdays[day.dayOfWeek] ?? ''} ${day.toString()}`
}

/** Returns the time of day. One that occurs twice, because the clocks are put back, gets its offset. */
function describeTimeOfDay(moment: Temporal.ZonedDateTime): string {
  const time = moment.toPlainTime().toString({ smallestUnit: 'minute' })
  const later = moment.toPlainDateTime().toZonedDateTime(moment.timeZoneId, { disambiguation: 'later' })
  const earlier = moment.toPlainDateTime().toZonedDateTime(moment.timeZoneId, { disambiguation: 'earlier' })
  return later.epochMilliseconds === earlier.epochMilliseconds ? time : `${time}${moment.offset}`
}

/** Descriptions may be simple HTML. */
async function readDescription(context: ToolCallContext, text: string): Promise<string> {
  return /<[a-z!/]|&\w+;/i.test(text) ? convertHtml(text, context) : text
}

function describeGuests(guests: readonly Guest[]): string | undefined {
  if (guests.length === 0) return undefined
  const names: string[] = []
  let chars = 0
  for (const guest of guests.slice(0, maxListedGuests)) {
    const response = responses[guest.responseStatus ?? ''] ?? 'not answered'
    const name = collapseSpaces(`${describeContact(guest) ?? ''} (${response})`)
    chars += name.length
    if (chars > maxGuestListChars) break
    names.push(name)
  }
  const omitted = guests.length - names.length
  return `Guest list: ${[...names, ...(omitted > 0 ? [`${omitted} more`] : [])].join(', ')}`
}

function describeContact(
  contact: { displayName?: string | null; email?: string | null } | null | undefined,
): string | undefined {
  const { displayName, email } = contact ?? {}
  return displayName && email ? `${line(displayName)} <${email}>` : (email ?? displayName ?? undefined)
}

function named(name: string, value: string | null | undefined): string | undefined {
  return value ? `${name}: ${line(value)}` : undefined
}

function line(text: string | null | undefined): string | undefined {
  return text ? cutWithNote(collapseSpaces(text), maxLineChars) : undefined
}

function joinLines(lines: readonly (string | undefined)[]): string {
  return lines.filter((text) => text !== undefined && text !== '').join('\n')
}
