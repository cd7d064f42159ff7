import { z } from 'zod'
import { googleTool } from '../google/google-tool.ts'
import { quoteData } from '../google/quote-data.ts'
import type { CalendarClient } from './calendar-client.ts'
import { findTimeZone } from './find-time-zone.ts'

export const listCalendars = googleTool({
  name: 'list_calendars',
  title: 'List calendars',
  description: "Lists the user's calendars, with what they may do in each, and tells their time zone.",
  effect: 'reads',
  input: z.object({}),
  async run(client: CalendarClient) {
    const [timeZone, { data }] = await Promise.all([
      findTimeZone(client),
      client.api.calendarList.list({ maxResults: 250 }),
    ])
    const calendars = (data.items ?? []).map((calendar) =>
      [
        `calendar_id: ${calendar.id ?? ''}${calendar.primary ? ' (their own)' : ''}`,
        `Name: ${(calendar.summaryOverride ?? calendar.summary ?? '').slice(0, 300)}`,
        `Access: ${calendar.accessRole ?? ''}`,
        `Time zone: ${calendar.timeZone ?? ''}`,
      ].join('\n'),
    )
    return `The user's time zone is ${timeZone}.\n${quoteData('the calendars', calendars.join('\n\n'))}`
  },
})
