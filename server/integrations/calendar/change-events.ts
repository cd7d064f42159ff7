import type { calendar_v3 } from '@googleapis/calendar'
import { z } from 'zod'
import { AppError } from '../../lib/app-error.ts'
import { mayHaveSucceeded, refusal, statusOf } from '../google/errors.ts'
import { googleTool } from '../google/google-tool.ts'
import { requireAddresses, requireLine, requirePlainText } from '../google/outgoing-text.ts'
import { readTimeZone, type CalendarClient } from './client.ts'
import { eventOf, resolveEventTarget, requireApprovedEvent, type EventTarget } from './event-target.ts'
import { parseEventSpan, requireTimeZone, toGoogleSpan } from './event-time.ts'
import { changeGuests, decideSendUpdates, listEmailedAddresses } from './guests.ts'
import { calendarId, emailGuests, approvedEvent, scope, time, timeZone } from './input-schemas.ts'
import { describeWhen } from './present-event.ts'
import { moveSeries, originalStartOf, requireRule } from './recurrence.ts'
import { endSeries, splitSeries } from './split-series.ts'

export const deleteEvent = googleTool({
  name: 'delete_event',
  title: 'Delete an event',
  description: 'Deletes an event, one occurrence of it, all of them, or this and the following ones.',
  effect: 'changes',
  input: z.object({ calendar_id: calendarId, ...approvedEvent, scope, email_guests: emailGuests }),
  async run(client: CalendarClient, { calendar_id: calendarId = 'primary', event_id: eventId, ...input }) {
    const zone = await readTimeZone(client)
    const { data: event } = await client.api.events.get({ calendarId, eventId })
    requireApprovedEvent(event, input, zone)
    const target = await resolveEventTarget(client, calendarId, event, input.scope)
    const affected = eventOf(target)
    const sendUpdates = decideSendUpdates(listEmailedAddresses(affected), input.email_guests)
    if (target.kind === 'following') {
      await endSeries(client, { ...target, calendarId, sendUpdates })
      return 'This occurrence and all after it were deleted.'
    }
    try {
      await client.api.events.delete({ calendarId, eventId: affected.id ?? '', sendUpdates })
    } catch (error) {
      // When a retry gets 404 or 410, an earlier attempt has deleted the event.
      if (!mayHaveSucceeded(error) || ![404, 410].includes(statusOf(error) ?? 0)) throw error
    }
    return target.kind === 'series' ? 'The whole series was deleted.' : 'The event was deleted.'
  },
})

export const respondToInvitation = googleTool({
  name: 'respond_to_invitation',
  title: 'Respond to an invitation',
  description: 'Accepts, declines or tentatively accepts an invitation. Its organizer is notified.',
  effect: 'changes',
  input: z.object({
    calendar_id: calendarId,
    ...approvedEvent,
    organizer: z
      .string()
      .max(300)
      .describe(
        "The organizer's email address. It is shown to the user and must match the event. The organizer is notified.",
      ),
    scope: z
      .enum(['this_event', 'all_events'])
      .optional()
      .describe('Required for a repeating event: which occurrences.'),
    response: z.enum(['accepted', 'declined', 'tentative']),
    comment: z.string().max(1_000).optional().describe('A sentence for the organizer.'),
  }),
  async run(client: CalendarClient, { calendar_id: calendarId = 'primary', event_id: eventId, ...input }) {
    const zone = await readTimeZone(client)
    const { data: event } = await client.api.events.get({ calendarId, eventId })
    requireApprovedEvent(event, input, zone)
    const organizer = event.organizer?.email ?? ''
    if (organizer.toLowerCase() !== input.organizer.trim().toLowerCase()) {
      throw refusal(`The organizer of this event is ${organizer || 'unknown'}.`)
    }
    const own = event.attendees?.find(({ self }) => self)
    if (own === undefined) {
      throw new AppError(
        'invalid_request',
        'The owner of this calendar is not among the guests of this event, so no response was sent.',
      )
    }
    const target = await resolveEventTarget(client, calendarId, event, input.scope)
    const comment = input.comment === undefined ? {} : { comment: requirePlainText('comment', input.comment) }
    await client.api.events.patch({
      calendarId,
      eventId: eventOf(target).id ?? '',
      sendUpdates: 'all',
      requestBody: {
        // With this flag Google changes only the user's own response.
        attendeesOmitted: true,
        attendees: [{ email: own.email ?? '', responseStatus: input.response, ...comment }],
      },
    })
    return `The response was sent: ${input.response}.`
  },
})

type Event = calendar_v3.Schema$Event

const guestList = z.array(z.string().max(300)).max(200).optional()

const changeFields = {
  new_title: z.string().min(1).max(1_000).optional(),
  new_start: time.optional().describe('2026-03-29T14:30, or a day. Requires "new_end".'),
  new_end: time.optional().describe('For whole days the last day. Requires "new_start".'),
  new_location: z.string().max(1_000).optional().describe('Empty to remove it.'),
  new_description: z.string().max(8_000).optional().describe('Empty to remove it.'),
  new_recurrence: z.string().max(500).optional().describe('Such as FREQ=WEEKLY;BYDAY=MO,WE.'),
  add_guests: guestList.describe('Email addresses without names.'),
  remove_guests: guestList.describe('Email addresses without names.'),
}

type EventChanges = z.infer<z.ZodObject<typeof changeFields>>

export const updateEvent = googleTool({
  name: 'update_event',
  title: 'Change an event',
  description:
    'Changes an event, one occurrence of it, all of them, or this and the following ones. Fields that are not given stay as they are. "title" and "start" are the current ones and identify the event.',
  effect: 'changes',
  input: z.object({
    calendar_id: calendarId,
    ...approvedEvent,
    scope,
    ...changeFields,
    time_zone: timeZone,
    email_guests: emailGuests,
  }),
  async run(client: CalendarClient, { calendar_id: calendarId = 'primary', event_id: eventId, ...input }) {
    const zone = await readTimeZone(client)
    const newTimeZone = requireTimeZone(input.time_zone ?? zone)
    const { data: event } = await client.api.events.get({ calendarId, eventId })
    requireApprovedEvent(event, input, zone)
    const target = await resolveEventTarget(client, calendarId, event, input.scope)
    const patch = buildPatch(target, input, newTimeZone)
    const before = eventOf(target)
    const emailed = new Set([
      ...listEmailedAddresses(before),
      ...listEmailedAddresses({ ...before, attendees: patch.attendees ?? before.attendees ?? [] }),
    ])
    const sendUpdates = decideSendUpdates([...emailed], input.email_guests)
    const changed = await applyPatch(client, { calendarId, target, patch, sendUpdates })
    return `The event was changed: ${describeWhen(changed, zone)} (${zone}). event_id: ${changed.id ?? ''}`
  },
})

interface EventUpdate {
  readonly calendarId: string
  readonly target: EventTarget
  readonly patch: Event
  readonly sendUpdates: 'all' | 'none'
}

async function applyPatch(client: CalendarClient, update: EventUpdate): Promise<Event> {
  const { calendarId, target, patch, sendUpdates } = update
  if (Object.keys(patch).length === 0) {
    throw refusal('No change was given. Give at least one new field.')
  }
  if (target.kind === 'following') return splitSeries(client, { ...target, calendarId, sendUpdates }, patch)
  // The patch contains the new values, so a retry has no further effect.
  const { data } = await client.api.events.patch({
    calendarId,
    eventId: eventOf(target).id ?? '',
    sendUpdates,
    requestBody: patch,
  })
  return data
}

/** @throws AppError `invalid_request` for changes that cannot be made */
function buildPatch(target: EventTarget, changes: EventChanges, timeZone: string): Event {
  const { new_title: title, new_location: location, new_description: description } = changes
  return {
    ...(title === undefined ? {} : { summary: requireLine('new_title', title) }),
    ...(location === undefined ? {} : { location: requireLine('new_location', location) }),
    ...(description === undefined ? {} : { description: requirePlainText('new_description', description) }),
    ...patchRule(target, changes),
    ...patchTimes(target, changes, timeZone),
    ...patchGuests(target, changes),
  }
}

function patchRule(target: EventTarget, { new_recurrence: rule }: EventChanges): Event {
  if (rule === undefined) return {}
  if (target.kind === 'one' && target.event.recurringEventId) {
    throw refusal('A single occurrence cannot have its own rule. Choose another "scope".')
  }
  return { recurrence: [requireRule(rule)] }
}

function patchTimes(target: EventTarget, changes: EventChanges, timeZone: string): Event {
  const { new_start: start, new_end: end, new_recurrence: rule } = changes
  if (start === undefined && end === undefined) return {}
  if (start === undefined || end === undefined) {
    throw refusal('Give "new_start" and "new_end" together.')
  }
  const span = parseEventSpan(start, end, timeZone, ['new_start', 'new_end'])
  if (target.kind === 'one') return toGoogleSpan(span)
  const { series, occurrence } = target
  // The following occurrences become a new series, which starts with this occurrence.
  const firstStart = { ...originalStartOf(occurrence), timeZone: series.start?.timeZone ?? null }
  const moved = target.kind === 'series' ? series : { ...series, start: firstStart }
  return toGoogleSpan(moveSeries(moved, occurrence, span, { timeZone, hasNewRule: rule !== undefined }))
}

function patchGuests(target: EventTarget, changes: EventChanges): Event {
  const add = requireAddresses('add_guests', changes.add_guests)
  const remove = requireAddresses('remove_guests', changes.remove_guests)
  if (add.length + remove.length === 0) return {}
  return { attendees: changeGuests(eventOf(target).attendees ?? [], { add, remove }) }
}
