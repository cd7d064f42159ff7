import type { calendar_v3 } from '@googleapis/calendar'
import { AppError } from '../../lib/app-error.ts'
import { collapseSpaces } from '../../lib/text.ts'
import { refusal } from '../google/errors.ts'
import type { CalendarClient } from './client.ts'
import { fromGoogleTime, parseEventTime, startOf } from './event-time.ts'
import { formatStart } from './present-event.ts'
import { isFirstOccurrence } from './recurrence.ts'

type Event = calendar_v3.Schema$Event

type EventScope = 'this_event' | 'all_events' | 'this_and_following'

/** The target of a change: one event or occurrence, a whole series, or a series from one occurrence on. */
export type EventTarget =
  | { readonly kind: 'one'; readonly event: Event }
  | { readonly kind: 'series'; readonly series: Event; readonly occurrence: Event }
  | { readonly kind: 'following'; readonly series: Event; readonly occurrence: Event }

interface ApprovedEvent {
  readonly title: string
  readonly start: string
}

/**
 * Returns the event or series that a change applies to. The scope counts only for events that repeat.
 * @throws AppError `invalid_request` when the scope is missing or does not fit the event, or when the title of the
 * series differs from that of the occurrence, which the user has approved
 */
export async function resolveEventTarget(
  { api }: CalendarClient,
  calendarId: string,
  event: Event,
  scope: EventScope | undefined,
): Promise<EventTarget> {
  const isSeries = (event.recurrence ?? []).length > 0
  const seriesId = event.recurringEventId
  if (!isSeries && !seriesId) return { kind: 'one', event }
  if (scope === undefined) {
    throw refusal('This event repeats. Choose in "scope" which occurrences to change.')
  }
  if (isSeries) {
    if (scope === 'all_events') return { kind: 'series', series: event, occurrence: event }
    throw new AppError(
      'invalid_request',
      `This is the id of a whole series. For "${scope}" use the event_id of an occurrence, from list_events.`,
    )
  }
  if (scope === 'this_event') return { kind: 'one', event }
  const { data: series } = await api.events.get({ calendarId, eventId: seriesId ?? '' })
  requireSameTitle(series, event.summary ?? '')
  const isWhole = scope === 'all_events' || isFirstOccurrence(series, event)
  return { kind: isWhole ? 'series' : 'following', series, occurrence: event }
}

/** Returns the event to change. For a series, this is the repeating event from which Google derives the occurrences. */
export function eventOf(target: EventTarget): Event {
  return target.kind === 'one' ? target.event : target.series
}

/**
 * Checks that an event still has the title and start that the user saw when approving the call.
 * @throws AppError `invalid_request`
 */
export function requireApprovedEvent(event: Event, expected: ApprovedEvent, timeZone: string): void {
  if (event.status === 'cancelled') {
    throw refusal('This event has already been deleted.')
  }
  requireSameTitle(event, expected.title)
  const actual = fromGoogleTime(event.start, timeZone)
  const start = parseEventTime('start', expected.start, timeZone)
  const isSame =
    actual !== undefined &&
    actual.kind === start.kind &&
    startOf(actual, timeZone).equals(startOf(start, timeZone))
  if (isSame) return
  throw refusal(`This event starts at ${formatStart(event, timeZone)} and not at ${expected.start}.`)
}

function requireSameTitle(event: Event, title: string): void {
  if (collapseSpaces(event.summary ?? '') === collapseSpaces(title)) return
  throw refusal(
    `The title of this event is "${(event.summary ?? '').slice(0, 300)}" and not "${title.slice(0, 300)}".`,
  )
}
