import { randomBytes } from 'node:crypto'
import type { calendar_v3 } from '@googleapis/calendar'
import { z } from 'zod'
import { AppError } from '../../lib/app-error.ts'
import { explainGoogleError, refusal, statusOf, wasNotExecuted } from '../google/errors.ts'
import { googleTool } from '../google/google-tool.ts'
import { requireAddresses, requireLine, requirePlainText } from '../google/outgoing-text.ts'
import { readTimeZone, type CalendarClient } from './client.ts'
import { parseEventSpan, requireTimeZone, toGoogleSpan } from './event-time.ts'
import { calendarId, time, timeZone } from './input-schemas.ts'
import { describeWhen, formatStart } from './present-event.ts'
import { requireRule } from './recurrence.ts'

type Event = calendar_v3.Schema$Event

export const createEvent = googleTool({
  name: 'create_event',
  title: 'Create an event',
  description:
    'Creates an event in a calendar and, if wanted, lets Google email invitations to its guests. Times are 2026-03-29T14:30 in the time zone, or 2026-03-29 for whole days, where "end" is the last day.',
  effect: 'adds',
  input: z.object({
    calendar_id: calendarId,
    title: z.string().min(1).max(1_000),
    start: time,
    end: time,
    time_zone: timeZone,
    location: z.string().max(1_000).optional(),
    description: z.string().max(8_000).optional(),
    guests: z.array(z.string().max(300)).max(200).optional().describe('Email addresses without names.'),
    email_guests: z
      .boolean()
      .optional()
      .describe('Required with guests: whether Google emails them invitations.'),
    recurrence: z
      .string()
      .max(500)
      .optional()
      .describe('How it repeats, such as FREQ=WEEKLY;BYDAY=MO;COUNT=10.'),
  }),
  async run(client: CalendarClient, { calendar_id: calendarId = 'primary', ...input }) {
    const zone = await readTimeZone(client)
    const span = parseEventSpan(input.start, input.end, requireTimeZone(input.time_zone ?? zone))
    const guests = requireAddresses('guests', input.guests)
    if (guests.length > 0 && input.email_guests === undefined) {
      throw refusal('Set "email_guests" to true or false: whether Google emails the guests.')
    }
    const { start, end } = toGoogleSpan(span)
    const created = await insertEventOnce(client, {
      calendarId,
      sendUpdates: guests.length > 0 && input.email_guests === true ? 'all' : 'none',
      event: {
        summary: requireLine('title', input.title),
        start: omitNulls(start),
        end: omitNulls(end),
        ...(input.location ? { location: requireLine('location', input.location) } : {}),
        ...(input.description ? { description: requirePlainText('description', input.description) } : {}),
        ...(guests.length > 0 ? { attendees: guests.map((email) => ({ email })) } : {}),
        ...(input.recurrence ? { recurrence: [requireRule(input.recurrence)] } : {}),
      },
    })
    const link = created.htmlLink ? `, ${created.htmlLink}` : ''
    return `The event was created: ${describeWhen(created, zone)} (${zone}). event_id: ${created.id ?? ''}, start: ${formatStart(created, zone)}${link}`
  },
})

interface NewEvent {
  readonly calendarId: string
  readonly sendUpdates: 'all' | 'none'
  readonly event: Event
}

/**
 * Creates an event at most once, also when the request is retried: it has an id of our own, and Google accepts each id
 * once.
 * @throws AppError `upstream_error` when it is unknown whether the event was created, the reason of `client.signal`
 * when the call was aborted, else the error of Google
 */
export async function insertEventOnce(client: CalendarClient, newEvent: NewEvent): Promise<Event> {
  const { calendarId, sendUpdates } = newEvent
  const event = { ...newEvent.event, id: randomBytes(16).toString('hex') }
  try {
    const { data } = await client.api.events.insert({
      calendarId,
      sendUpdates,
      ...(event.conferenceData ? { conferenceDataVersion: 1 } : {}),
      ...(event.attachments ? { supportsAttachments: true } : {}),
      requestBody: event,
    })
    return data
  } catch (error) {
    if (wasNotExecuted(error)) throw error
    client.signal.throwIfAborted()
    const created = await findCreatedEvent(client, calendarId, event.id, error)
    if (created === undefined) throw error
    return created
  }
}

/** @throws AppError when it is unknown whether the event was created; `failure` is the error of creating it */
async function findCreatedEvent(
  { api }: CalendarClient,
  calendarId: string,
  eventId: string,
  failure: unknown,
): Promise<Event | undefined> {
  try {
    const { data } = await api.events.get({ calendarId, eventId })
    return data
  } catch (error) {
    if (statusOf(error) === 404) return undefined
    throw new AppError(
      'upstream_error',
      `${explainGoogleError(failure)} The event may or may not have been created. Check the calendar before creating it again.`,
    )
  }
}

/** Removes the fields that are null: null clears a field of an existing event, and a new event has nothing to clear. */
function omitNulls<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null)) as Value
}
