import { z } from 'zod'
import { googleTool } from '../google/google-tool.ts'
import { quoteData } from '../google/quote-data.ts'
import type { CalendarClient } from './calendar-client.ts'
import { calendarId, eventId } from './calendar-ids.ts'
import { findTimeZone } from './find-time-zone.ts'
import { presentEvent } from './present-event.ts'

export const readEvent = googleTool({
  name: 'read_event',
  title: 'Read an event',
  description: 'Gives one event, or one occurrence, with description, guests and their answers.',
  effect: 'reads',
  input: z.object({ calendar_id: calendarId, event_id: eventId }),
  async run(client: CalendarClient, { calendar_id: calendarId = 'primary', event_id }) {
    const [timeZone, { data }] = await Promise.all([
      findTimeZone(client),
      client.api.events.get({ calendarId, eventId: event_id }),
    ])
    return quoteData(`an event (times in ${timeZone})`, await presentEvent(data, timeZone))
  },
})
