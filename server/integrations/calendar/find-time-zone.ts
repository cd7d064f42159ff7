import { statusOf } from '../google/google-error.ts'
import type { CalendarClient } from './calendar-client.ts'
import { requireTimeZone } from './event-time.ts'

/** The time zone that the person has chosen in Google Calendar; where that may not be read, their first calendar's. */
export async function findTimeZone({ api }: CalendarClient): Promise<string> {
  try {
    const { data } = await api.settings.get({ setting: 'timezone' })
    if (data.value) return knownZone(data.value)
  } catch (error) {
    if (statusOf(error) !== 403) throw error
  }
  const { data } = await api.calendarList.get({ calendarId: 'primary' })
  return knownZone(data.timeZone ?? 'UTC')
}

/** Google may know a zone, new or old, that this machine does not. */
function knownZone(timeZone: string): string {
  try {
    return requireTimeZone(timeZone)
  } catch {
    return 'UTC'
  }
}
