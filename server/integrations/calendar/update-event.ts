import type { calendar_v3 } from '@googleapis/calendar'
import { z } from 'zod'
import { AppError } from '../../lib/app-error.ts'
import { googleTool } from '../google/google-tool.ts'
import type { CalendarClient } from './calendar-client.ts'
import { calendarId, emailGuests, namedEvent, scope, time, timeZone } from './calendar-ids.ts'
import { decideMails, listMailed } from './check-guests.ts'
import { continueSeries } from './continue-series.ts'
import { describeWhen } from './describe-when.ts'
import { buildEventPatch } from './event-patch.ts'
import { findEventTarget } from './event-target.ts'
import type { EventTarget } from './event-target.ts'
import { requireTimeZone } from './event-time.ts'
import { findTimeZone } from './find-time-zone.ts'
import { requireNamedEvent } from './require-named-event.ts'

const guestList = z.array(z.string().max(300)).max(200).optional()

export const updateEvent = googleTool({
  name: 'update_event',
  title: 'Change an event',
  description:
    'Changes an event, one occurrence of it, all, or this and the following ones. Only what is given is changed; times come in pairs. "title" and "start" say which event it is now.',
  effect: 'changes',
  input: z.object({
    calendar_id: calendarId,
    ...namedEvent,
    scope,
    new_title: z.string().min(1).max(1_000).optional(),
    new_start: time.optional().describe('2026-03-29T14:30, or a day. Give "new_end" too.'),
    new_end: time.optional().describe('Of whole days the last one. Give "new_start" too.'),
    time_zone: timeZone,
    new_location: z.string().max(1_000).optional().describe('Empty takes it away.'),
    new_description: z.string().max(8_000).optional().describe('Empty takes it away.'),
    new_recurrence: z.string().max(500).optional().describe('Such as FREQ=WEEKLY;BYDAY=MO,WE.'),
    add_guests: guestList.describe('Plain addresses.'),
    remove_guests: guestList.describe('Plain addresses.'),
    email_guests: emailGuests,
  }),
  async run(client: CalendarClient, { calendar_id: calendarId = 'primary', event_id: eventId, ...input }) {
    const zone = await findTimeZone(client)
    const inZone = requireTimeZone(input.time_zone ?? zone)
    const { data: event } = await client.api.events.get({ calendarId, eventId })
    requireNamedEvent(event, input, zone)
    const target = await findEventTarget(client, calendarId, event, input.scope)
    const patch = buildEventPatch(target, input, inZone)
    const before = target.kind === 'one' ? target.event : target.series
    const mailed = new Set([
      ...listMailed(before),
      ...listMailed({ ...before, attendees: patch.attendees ?? before.attendees ?? [] }),
    ])
    const sendUpdates = decideMails([...mailed], input.email_guests)
    const changed = await apply(client, { calendarId, target, patch, sendUpdates })
    return `The event is changed: ${describeWhen(changed, zone)} (${zone}). event_id: ${changed.id ?? ''}`
  },
})

interface EventUpdate {
  readonly calendarId: string
  readonly target: EventTarget
  readonly patch: calendar_v3.Schema$Event
  readonly sendUpdates: 'all' | 'none'
}

async function apply(client: CalendarClient, update: EventUpdate): Promise<calendar_v3.Schema$Event> {
  const { calendarId, target, patch, sendUpdates } = update
  if (Object.keys(patch).length === 0) throw new AppError('invalid_request', 'Say what is to be changed.')
  if (target.kind === 'rest') return continueSeries(client, { ...target, calendarId, sendUpdates }, patch)
  const { id } = target.kind === 'one' ? target.event : target.series
  // The same patch twice is one change: it says how the event is to be, not what is added to it.
  const { data } = await client.api.events.patch({
    calendarId,
    eventId: id ?? '',
    sendUpdates,
    requestBody: patch,
  })
  return data
}
