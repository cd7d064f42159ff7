import { createCalendarConnector } from '../../integrations/google-connectors.ts'
import type { AccountCalendar, StoredEvent } from './account-calendar.ts'
import { createCalendarApi, type CalendarApi } from './calendar-api.ts'
import { provideGoogle, testAccount, type ProvidedGoogle } from './google-client.ts'

interface ProvidedCalendar {
  readonly google: ProvidedGoogle<CalendarApi>
  readonly calendar: () => AccountCalendar
  /** Creates an event on 24 March at noon. */
  readonly lunch: () => StoredEvent
  /** Creates a series on Mondays at nine, across the clock change on 29 March. */
  readonly standUp: (rule?: string) => StoredEvent
  /** The result of `list_events`. */
  readonly list: (from: string, to: string) => Promise<string>
}

const now = Date.UTC(2026, 2, 23, 8)

/** Provides the Google Calendar connector and its calendar, new for each test of a file. The date is 23 March 2026. */
export function provideCalendar(): ProvidedCalendar {
  const google = provideGoogle(createCalendarApi, createCalendarConnector, { now: () => now })
  const calendar = () => google.api.calendar(testAccount)
  return {
    google,
    calendar,
    lunch: () =>
      calendar().put({
        summary: 'Lunch',
        start: viennaTime('2026-03-24T12:00:00+01:00'),
        end: viennaTime('2026-03-24T13:00:00+01:00'),
      }),
    standUp: (rule = 'FREQ=WEEKLY;BYDAY=MO') =>
      calendar().put({
        id: 'standup',
        summary: 'Stand-up',
        start: viennaTime('2026-03-23T09:00:00+01:00'),
        end: viennaTime('2026-03-23T09:15:00+01:00'),
        recurrence: [`RRULE:${rule}`],
      }),
    list: async (from, to) => (await google.call('list_events', { from, to })).text,
  }
}

export function viennaTime(dateTime: string) {
  return { dateTime, timeZone: 'Europe/Vienna' }
}

/** A guest, the user, and a room. */
export const invitedGuests = [
  { email: 'ann@example.com', responseStatus: 'accepted' },
  { email: testAccount, self: true, responseStatus: 'accepted' },
  { email: 'room@resource.calendar.google.com', resource: true },
]

/** The event_id in a tool result. */
export function eventIdOf(text: string): string {
  return /event_id: (\S+?)[,\s]/.exec(`${text} `)?.[1] ?? ''
}
