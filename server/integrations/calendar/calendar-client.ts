import type { calendar_v3 } from '@googleapis/calendar'
import type { GoogleApiDeps, GoogleClient } from '../google/api-client.ts'
import { clientOptions } from '../google/api-client.ts'
import { googleFetch } from '../google/google-fetch.ts'
import { googleLimits } from '../google/google-limits.ts'
import type { GoogleLimits } from '../google/google-limits.ts'
import { retryGoogle } from '../google/retry-google.ts'

export type CalendarClient = GoogleClient<calendar_v3.Calendar>

/** A person's Google Calendar, for one call of a tool. Google's package is loaded with the first one. */
export async function openCalendar(
  deps: GoogleApiDeps,
  userId: string,
  signal: AbortSignal,
  limits: GoogleLimits = googleLimits,
): Promise<CalendarClient> {
  const { calendar_v3: calendar } = await import('@googleapis/calendar')
  const fetch = googleFetch(
    deps,
    { userId, integration: 'google-calendar', signal },
    { packaged: 'https://www.googleapis.com/calendar/v3', actual: deps.apiUrls.calendar },
    limits,
  )
  return {
    api: new calendar.Calendar(clientOptions(fetch, signal, limits)),
    once: { retryConfig: retryGoogle(limits, false, signal) },
    signal,
    now: deps.now,
  }
}
