import { Temporal } from 'temporal-polyfill'
import { z } from 'zod'
import { AppError } from '../../lib/app-error.ts'
import { googleTool } from '../google/google-tool.ts'
import { quoteData } from '../google/quote-data.ts'
import type { CalendarClient } from './calendar-client.ts'
import { calendarId, time } from './calendar-ids.ts'
import { beginOf, endOf, parseEventTime, toRfc3339 } from './event-time.ts'
import { findTimeZone } from './find-time-zone.ts'
import { presentEventSummary } from './present-event.ts'

export const listEvents = googleTool({
  name: 'list_events',
  title: 'List events',
  description:
    "Lists the events of a calendar between two times, in order, with every occurrence of those that repeat; or searches them by words. Times are in the user's time zone: 2026-03-29T14:30, or 2026-03-29 for a day.",
  effect: 'reads',
  input: z.object({
    calendar_id: calendarId,
    from: time.optional().describe('Now when absent.'),
    to: time.optional().describe('A day is included. A week after "from" when absent.'),
    query: z.string().max(300).optional().describe('Words in title, description, place or guests.'),
    max_results: z.number().int().min(1).max(100).optional().describe('50 when absent.'),
    page_token: z.string().max(2_000).optional().describe('For the next page, from the result before.'),
  }),
  async run(client: CalendarClient, { calendar_id: calendarId = 'primary', ...input }) {
    const timeZone = await findTimeZone(client)
    const { from, to } = readRange(input, timeZone, client.now())
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
    return data.nextPageToken ? `${found}\nThere are more: page_token ${data.nextPageToken}` : found
  },
})

interface Range {
  readonly from: Temporal.Instant
  readonly to: Temporal.Instant
}

/** @throws AppError `invalid_request` for a range that ends before it begins */
export function readRange(
  input: { readonly from?: string | undefined; readonly to?: string | undefined },
  timeZone: string,
  now: number,
): Range {
  const from =
    input.from === undefined
      ? Temporal.Instant.fromEpochMilliseconds(now)
      : beginOf(parseEventTime('from', input.from, timeZone), timeZone)
  const to =
    input.to === undefined
      ? from.add({ hours: 7 * 24 })
      : endOf(parseEventTime('to', input.to, timeZone), timeZone)
  if (to.epochMilliseconds > from.epochMilliseconds) return { from, to }
  throw new AppError('invalid_request', '"to" must be later than "from".')
}
