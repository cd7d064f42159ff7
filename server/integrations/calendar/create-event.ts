import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '../../lib/app-error.ts'
import { googleTool } from '../google/google-tool.ts'
import { requireAddresses } from '../google/require-addresses.ts'
import { requireLine, requirePlainText } from '../google/require-plain-text.ts'
import type { CalendarClient } from './calendar-client.ts'
import { calendarId, time, timeZone } from './calendar-ids.ts'
import { requireRule } from './cut-recurrence.ts'
import { describeWhen, nameStart } from './describe-when.ts'
import { parseEventSpan } from './event-span.ts'
import { requireTimeZone } from './event-time.ts'
import { findTimeZone } from './find-time-zone.ts'
import { toGoogleEnd, toGoogleStart } from './google-event-time.ts'
import { insertEventOnce } from './insert-event-once.ts'

export const createEvent = googleTool({
  name: 'create_event',
  title: 'Create an event',
  description:
    'Puts an event into a calendar and, if that is wanted, lets Google write invitations to its guests. Times are 2026-03-29T14:30 in the time zone, or 2026-03-29 for whole days, of which "end" is the last.',
  effect: 'adds',
  input: z.object({
    calendar_id: calendarId,
    title: z.string().min(1).max(1_000),
    start: time,
    end: time,
    time_zone: timeZone,
    location: z.string().max(1_000).optional(),
    description: z.string().max(8_000).optional(),
    guests: z.array(z.string().max(300)).max(200).optional().describe('Plain addresses.'),
    email_guests: z
      .boolean()
      .optional()
      .describe('Whether Google writes invitations to them. Must be given when there are guests.'),
    recurrence: z
      .string()
      .max(500)
      .optional()
      .describe('How it repeats, such as FREQ=WEEKLY;BYDAY=MO;COUNT=10.'),
  }),
  async run(client: CalendarClient, { calendar_id: calendarId = 'primary', ...input }) {
    const zone = await findTimeZone(client)
    const span = parseEventSpan(input.start, input.end, requireTimeZone(input.time_zone ?? zone))
    const guests = requireAddresses('guests', input.guests)
    if (guests.length > 0 && input.email_guests === undefined) {
      throw new AppError(
        'invalid_request',
        'Say in "email_guests" whether the guests get a mail. Nothing was done.',
      )
    }
    const made = await insertEventOnce(client, {
      calendarId,
      sendUpdates: guests.length > 0 && input.email_guests === true ? 'all' : 'none',
      event: {
        id: randomBytes(16).toString('hex'),
        summary: requireLine('title', input.title),
        start: dropNulls(toGoogleStart(span.start)),
        end: dropNulls(toGoogleEnd(span.end)),
        ...(input.location ? { location: requireLine('location', input.location) } : {}),
        ...(input.description ? { description: requirePlainText('description', input.description) } : {}),
        ...(guests.length > 0 ? { attendees: guests.map((email) => ({ email })) } : {}),
        ...(input.recurrence ? { recurrence: [requireRule(input.recurrence)] } : {}),
      },
    })
    const link = made.htmlLink ? `, ${made.htmlLink}` : ''
    return `The event is in the calendar: ${describeWhen(made, zone)} (${zone}). event_id: ${made.id ?? ''}, start: ${nameStart(made, zone)}${link}`
  },
})

/** A new event has nothing to take away. */
function dropNulls<Time extends object>(time: Time): Time {
  return Object.fromEntries(Object.entries(time).filter(([, value]) => value !== null)) as Time
}
