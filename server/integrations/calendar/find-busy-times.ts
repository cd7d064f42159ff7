import type { calendar_v3 } from '@googleapis/calendar'
import { Temporal } from 'temporal-polyfill'
import { z } from 'zod'
import { googleTool } from '../google/google-tool.ts'
import type { CalendarClient } from './calendar-client.ts'
import { time } from './calendar-ids.ts'
import { describeMoment } from './describe-when.ts'
import { toRfc3339 } from './event-time.ts'
import { findTimeZone } from './find-time-zone.ts'
import { readRange } from './list-events.ts'

/** Stretches of one calendar that are told. */
const mostStretches = 200

export const findBusyTimes = googleTool({
  name: 'find_busy_times',
  title: 'Find busy times',
  description:
    "Tells when the user, or people and calendars they may see, are busy; all other times are free. Times are in the user's time zone.",
  effect: 'reads',
  input: z.object({
    calendars: z
      .array(z.string().min(1).max(300))
      .min(1)
      .max(20)
      .optional()
      .describe("Addresses of people, or calendar_ids. The user's own calendar when absent."),
    from: time,
    to: time.describe('A day is included.'),
  }),
  async run(client: CalendarClient, { calendars = ['primary'], ...input }) {
    const timeZone = await findTimeZone(client)
    const { from, to } = readRange(input, timeZone, client.now())
    const { data } = await client.api.freebusy.query({
      requestBody: {
        timeMin: toRfc3339(from, timeZone),
        timeMax: toRfc3339(to, timeZone),
        timeZone,
        items: calendars.map((id) => ({ id })),
      },
    })
    const texts = Object.entries(data.calendars ?? {}).map(
      ([id, calendar]) => `${id}: ${describeBusy(calendar, timeZone)}`,
    )
    return `Busy between ${toRfc3339(from, timeZone)} and ${toRfc3339(to, timeZone)} (${timeZone}):\n${texts.join('\n')}`
  },
})

function describeBusy({ busy, errors }: calendar_v3.Schema$FreeBusyCalendar, timeZone: string): string {
  const reason = errors?.[0]?.reason
  if (reason) return reason === 'notFound' ? 'not known, or not visible to the user' : `not told (${reason})`
  const stretches = (busy ?? []).map(
    ({ start, end }) => `${moment(start, timeZone)} to ${moment(end, timeZone)}`,
  )
  const left = stretches.length - mostStretches
  return [
    stretches.slice(0, mostStretches).join('; ') || 'never',
    ...(left > 0 ? [`${left} further stretches were left out`] : []),
  ].join('; ')
}

function moment(text: string | null | undefined, timeZone: string): string {
  return text ? describeMoment(Temporal.Instant.from(text).toZonedDateTimeISO(timeZone)) : 'an unknown time'
}
