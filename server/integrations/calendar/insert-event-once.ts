import type { calendar_v3 } from '@googleapis/calendar'
import { statusOf, wasRepeated } from '../google/google-error.ts'
import type { CalendarClient } from './calendar-client.ts'

type Event = calendar_v3.Schema$Event

interface NewEvent {
  readonly calendarId: string
  readonly sendUpdates: 'all' | 'none'
  /** With an id of our making: Google takes it once, so the request may be repeated. */
  readonly event: Event & { readonly id: string }
}

/** Makes an event, once, however often the request has to be made. */
export async function insertEventOnce(
  { api }: CalendarClient,
  { calendarId, sendUpdates, event }: NewEvent,
): Promise<Event> {
  try {
    const { data } = await api.events.insert({
      calendarId,
      sendUpdates,
      ...(event.conferenceData ? { conferenceDataVersion: 1 } : {}),
      ...(event.attachments ? { supportsAttachments: true } : {}),
      requestBody: event,
    })
    return data
  } catch (error) {
    if (statusOf(error) !== 409 || !wasRepeated(error)) throw error
    // The request before this one had made it.
    const { data } = await api.events.get({ calendarId, eventId: event.id })
    return data
  }
}
