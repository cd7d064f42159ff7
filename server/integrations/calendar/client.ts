import type { calendar_v3 } from '@googleapis/calendar'
import type { ConnectorAccount } from '@yonder/contract/connector'
import { clientOptions, type GoogleApiClient, type GoogleApiDeps } from '../google/api-client.ts'
import { statusOf } from '../google/errors.ts'
import { requireTimeZone } from './event-time.ts'

export type CalendarClient = GoogleApiClient<calendar_v3.Calendar>

/** Opens a user's Google Calendar until `signal` aborts. The first use in a process loads Google's client library. */
export async function openCalendar(
  deps: GoogleApiDeps,
  userId: string,
  signal: AbortSignal,
): Promise<CalendarClient> {
  const { calendar_v3: calendar } = await import('@googleapis/calendar')
  const caller = { userId, integration: 'google-calendar', signal } as const
  const defaultUrl = 'https://www.googleapis.com/calendar/v3'
  const options = clientOptions(deps, caller, { defaultUrl, configuredUrl: deps.apiUrls.calendar })
  return { api: new calendar.Calendar(options), userId, signal, now: deps.now }
}

export async function readCalendarAccount(client: CalendarClient): Promise<ConnectorAccount> {
  const [{ data }, timeZone] = await Promise.all([
    client.api.calendarList.get({ calendarId: 'primary' }),
    readTimeZone(client),
  ])
  // The id of the primary calendar is the e-mail address of its account.
  return { account: data.id ?? null, time_zone: timeZone }
}

/**
 * Returns the time zone of the user's settings at Google, or of the primary calendar when Google denies access to
 * them.
 */
export async function readTimeZone({ api }: CalendarClient): Promise<string> {
  try {
    const { data } = await api.settings.get({ setting: 'timezone' })
    if (data.value) return supportedTimeZone(data.value)
  } catch (error) {
    if (statusOf(error) !== 403) throw error
  }
  const { data } = await api.calendarList.get({ calendarId: 'primary' })
  return supportedTimeZone(data.timeZone ?? 'UTC')
}

/** Returns a time zone from Google, or UTC when this Node does not support it. */
function supportedTimeZone(timeZone: string): string {
  try {
    return requireTimeZone(timeZone)
  } catch {
    return 'UTC'
  }
}
