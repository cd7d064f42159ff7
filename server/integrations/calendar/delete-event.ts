import { z } from 'zod'
import { googleTool } from '../google/google-tool.ts'
import { statusOf, wasRepeated } from '../google/google-error.ts'
import type { CalendarClient } from './calendar-client.ts'
import { calendarId, emailGuests, namedEvent, scope } from './calendar-ids.ts'
import { decideMails, listMailed } from './check-guests.ts'
import { endSeries } from './continue-series.ts'
import { findEventTarget } from './event-target.ts'
import { findTimeZone } from './find-time-zone.ts'
import { requireNamedEvent } from './require-named-event.ts'

export const deleteEvent = googleTool({
  name: 'delete_event',
  title: 'Delete an event',
  description: 'Deletes an event, one occurrence of it, all, or this and the following ones.',
  effect: 'changes',
  input: z.object({ calendar_id: calendarId, ...namedEvent, scope, email_guests: emailGuests }),
  async run(client: CalendarClient, { calendar_id: calendarId = 'primary', event_id: eventId, ...input }) {
    const zone = await findTimeZone(client)
    const { data: event } = await client.api.events.get({ calendarId, eventId })
    requireNamedEvent(event, input, zone)
    const target = await findEventTarget(client, calendarId, event, input.scope)
    const affected = target.kind === 'one' ? target.event : target.series
    const sendUpdates = decideMails(listMailed(affected), input.email_guests)
    if (target.kind === 'rest') {
      await endSeries(client, { ...target, calendarId, sendUpdates })
      return 'This occurrence and all after it are deleted.'
    }
    try {
      await client.api.events.delete({ calendarId, eventId: affected.id ?? '', sendUpdates })
    } catch (error) {
      // The request before this one had done it.
      if (!wasRepeated(error) || ![404, 410].includes(statusOf(error) ?? 0)) throw error
    }
    return target.kind === 'series' ? 'The whole series is deleted.' : 'The event is deleted.'
  },
})
