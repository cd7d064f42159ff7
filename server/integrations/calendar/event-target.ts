import type { calendar_v3 } from '@googleapis/calendar'
import { AppError } from '../../lib/app-error.ts'
import type { CalendarClient } from './calendar-client.ts'
import { isFirstOccurrence } from './cut-recurrence.ts'
import { requireSameTitle } from './require-named-event.ts'

type Event = calendar_v3.Schema$Event

export type EventScope = 'this_event' | 'all_events' | 'this_and_following'

/** What a change is for: one event or occurrence, a whole series, or a series from one occurrence on. */
export type EventTarget =
  | { readonly kind: 'one'; readonly event: Event }
  | { readonly kind: 'series'; readonly series: Event; readonly occurrence: Event }
  | { readonly kind: 'rest'; readonly series: Event; readonly occurrence: Event }

/**
 * Finds what is meant by an event and how much of its series.
 * @throws AppError `invalid_request` when that is not said, or says two things
 */
export async function findEventTarget(
  { api }: CalendarClient,
  calendarId: string,
  event: Event,
  scope: EventScope | undefined,
): Promise<EventTarget> {
  const isSeries = (event.recurrence ?? []).length > 0
  const seriesId = event.recurringEventId
  if (!isSeries && !seriesId) return { kind: 'one', event }
  if (scope === undefined) {
    throw new AppError('invalid_request', 'This event repeats: say in "scope" which occurrences are meant.')
  }
  if (isSeries) {
    if (scope === 'all_events') return { kind: 'series', series: event, occurrence: event }
    throw new AppError(
      'invalid_request',
      `This is the id of a whole series. For "${scope}" name the event_id of an occurrence, from list_events.`,
    )
  }
  if (scope === 'this_event') return { kind: 'one', event }
  const { data: series } = await api.events.get({ calendarId, eventId: seriesId ?? '' })
  requireSameTitle(series, event.summary ?? '')
  const isWhole = scope === 'all_events' || isFirstOccurrence(series, event)
  return { kind: isWhole ? 'series' : 'rest', series, occurrence: event }
}
