import { z } from 'zod'
import { statusOf, mayHaveSucceeded } from '../google/errors.ts'
import { googleTool } from '../google/google-tool.ts'
import { readTimeZone, type CalendarClient } from './client.ts'
import { eventOf, resolveEventTarget, requireApprovedEvent } from './event-target.ts'
import { decideSendUpdates, listEmailedAddresses } from './guests.ts'
import { calendarId, emailGuests, approvedEvent, scope } from './input-schemas.ts'
import { endSeries } from './split-series.ts'

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
