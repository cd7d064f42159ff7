import type { calendar_v3 } from '@googleapis/calendar'
import { Temporal } from 'temporal-polyfill'
import { z } from 'zod'
import { forModel, googleTool, quoteData } from '../google/google-tool.ts'
import { readTimeZone, type CalendarClient } from './client.ts'
import { parseTimeRange, toRfc3339 } from './event-time.ts'
import { calendarId, eventId, time } from './input-schemas.ts'
import { describeMoment, presentEvent, presentEventSummary } from './present-event.ts'

/** Busy times of one calendar beyond this number are counted but not listed. */
const maxBusyPeriods = 200

export const listCalendars = googleTool({
  name: 'list_calendars',
  title: 'List calendars',
  description: "Lists the user's calendars with the user's access to each, and the user's time zone.",
  effect: 'reads',
  input: z.object({}),
  async run(client: CalendarClient) {
    const [timeZone, { data }] = await Promise.all([
      readTimeZone(client),
      client.api.calendarList.list({ maxResults: 250 }),
    ])
    const calendars = (data.items ?? []).map((calendar) =>
      [
        `calendar_id: ${calendar.id ?? ''}${calendar.primary ? " (the user's own)" : ''}`,
        `Name: ${(calendar.summaryOverride ?? calendar.summary ?? '').slice(0, 300)}`,
        `Access: ${calendar.accessRole ?? ''}`,
        `Time zone: ${calendar.timeZone ?? ''}`,
      ].join('\n'),
    )
    return [
      { text: `The user's time zone is ${timeZone}.` },
      ...quoteData('the calendars', calendars.join('\n\n')),
    ]
  },
})

export const listEvents = googleTool({
  name: 'list_events',
  title: 'List events',
  description:
    "Lists the events of a calendar between two times in order, with every occurrence of repeating events, or searches them by words. Times are in the user's time zone: 2026-03-29T14:30, or 2026-03-29 for a day.",
  effect: 'reads',
  input: z.object({
    calendar_id: calendarId,
    from: time.optional().describe('Default: now.'),
    to: time.optional().describe('A day is included. Default: a week after "from".'),
    query: z.string().max(300).optional().describe('Words in title, description, place or guests.'),
    max_results: z.number().int().min(1).max(100).optional().describe('Default: 50.'),
    page_token: z.string().max(2_000).optional().describe('The page_token of the previous result.'),
  }),
  async run(client: CalendarClient, { calendar_id: calendarId = 'primary', ...input }) {
    const timeZone = await readTimeZone(client)
    const { from, to } = parseTimeRange(input, timeZone, client.now())
    const { data } = await client.api.events.list({
      calendarId,
      timeMin: toRfc3339(from, timeZone),
      timeMax: toRfc3339(to, timeZone),
      timeZone,
      singleEvents: true,
      orderBy: 'startTime',
      maxResults: input.max_results ?? 50,
      ...(input.query ? { q: input.query } : {}),
      ...(input.page_token ? { pageToken: input.page_token } : {}),
    })
    const range = `from ${toRfc3339(from, timeZone)} to ${toRfc3339(to, timeZone)} (${timeZone})`
    const events = (data.items ?? []).filter(({ status }) => status !== 'cancelled')
    if (events.length === 0 && !data.nextPageToken) return `There are no events ${range}.`
    const texts = events.map((event) => presentEventSummary(event, timeZone))
    const found = quoteData(`the events ${range}`, texts.join('\n\n'))
    return data.nextPageToken
      ? [...found, forModel(`There are more: page_token ${data.nextPageToken}`)]
      : found
  },
})

export const readEvent = googleTool({
  name: 'read_event',
  title: 'Read an event',
  description: 'Returns one event or occurrence with its description, guests and their answers.',
  effect: 'reads',
  input: z.object({ calendar_id: calendarId, event_id: eventId }),
  async run(client: CalendarClient, { calendar_id: calendarId = 'primary', event_id }) {
    const [timeZone, { data }] = await Promise.all([
      readTimeZone(client),
      client.api.events.get({ calendarId, eventId: event_id }),
    ])
    return quoteData(`an event (times in ${timeZone})`, await presentEvent(client, data, timeZone))
  },
})

export const findBusyTimes = googleTool({
  name: 'find_busy_times',
  title: 'Find busy times',
  description:
    "Returns when the user is busy, or others whose calendars the user may see. All other times are free. Times are in the user's time zone.",
  effect: 'reads',
  input: z.object({
    calendars: z
      .array(z.string().min(1).max(300))
      .min(1)
      .max(20)
      .optional()
      .describe("Email addresses or calendar_ids. Default: the user's own calendar."),
    from: time,
    to: time.describe('A day is included.'),
  }),
  async run(client: CalendarClient, { calendars = ['primary'], ...input }) {
    const timeZone = await readTimeZone(client)
    const { from, to } = parseTimeRange(input, timeZone, client.now())
    const { data } = await client.api.freebusy.query({
      requestBody: {
        timeMin: toRfc3339(from, timeZone),
        timeMax: toRfc3339(to, timeZone),
        timeZone,
        items: calendars.map((id) => ({ id })),
      },
    })
    const texts = Object.entries(data.calendars ?? {}).map(
      ([id, calendar]) => `${id}: ${describeBusyPeriods(calendar, timeZone)}`,
    )
    return `Busy between ${toRfc3339(from, timeZone)} and ${toRfc3339(to, timeZone)} (${timeZone}):\n${texts.join('\n')}`
  },
})

function describeBusyPeriods(
  { busy, errors }: calendar_v3.Schema$FreeBusyCalendar,
  timeZone: string,
): string {
  const reason = errors?.[0]?.reason
  if (reason) {
    return reason === 'notFound' ? 'unknown, or not visible to the user' : `not available (${reason})`
  }
  const periods = (busy ?? []).map(
    ({ start, end }) => `${formatMoment(start, timeZone)} to ${formatMoment(end, timeZone)}`,
  )
  const omitted = periods.length - maxBusyPeriods
  return [
    periods.slice(0, maxBusyPeriods).join('; ') || 'never',
    ...(omitted > 0 ? [`${omitted} more`] : []),
  ].join('; ')
}

function formatMoment(text: string | null | undefined, timeZone: string): string {
  return text ? describeMoment(Temporal.Instant.from(text).toZonedDateTimeISO(timeZone)) : 'an unknown time'
}
