import { randomBytes } from 'node:crypto'
import type { calendar_v3 } from '@googleapis/calendar'
import { AppError } from '../../lib/app-error.ts'
import { explainGoogleError } from '../google/explain-google-error.ts'
import { isRefusal } from '../google/google-error.ts'
import type { CalendarClient } from './calendar-client.ts'
import { endBefore, goOnAfter, isCounted, placeOf, toMilliseconds, untilOf } from './cut-recurrence.ts'
import { insertEventOnce } from './insert-event-once.ts'

type Event = calendar_v3.Schema$Event

interface SeriesCut {
  readonly calendarId: string
  readonly series: Event
  /** The first that is not part of the old series any more. */
  readonly occurrence: Event
  readonly sendUpdates: 'all' | 'none'
}

/** What a new series takes over from the old one. */
const kept = [
  'summary',
  'description',
  'location',
  'attendees',
  'attachments',
  'colorId',
  'conferenceData',
  'extendedProperties',
  'guestsCanInviteOthers',
  'guestsCanModify',
  'guestsCanSeeOtherGuests',
  'reminders',
  'transparency',
  'visibility',
] as const

/** Ends a series before one of its occurrences. */
export async function endSeries({ api }: CalendarClient, cut: SeriesCut): Promise<void> {
  const recurrence = endBefore(cut.series.recurrence ?? [], placeOf(cut.occurrence))
  await api.events.patch({
    calendarId: cut.calendarId,
    eventId: cut.series.id ?? '',
    sendUpdates: cut.sendUpdates,
    requestBody: { recurrence },
  })
}

/**
 * Splits a series, as Google advises: a new one with the changes goes on where the old one ends. When the old one has not
 * ended the new one is taken back, so that nobody has both; when nobody knows it stays, so that nobody has neither.
 */
export async function continueSeries(client: CalendarClient, cut: SeriesCut, changes: Event): Promise<Event> {
  const { calendarId, series, occurrence, sendUpdates } = cut
  const passed = isCounted(series.recurrence ?? []) ? await countBefore(client, cut) : 0
  const inherited = Object.fromEntries(kept.map((name) => [name, series[name]])) as Event
  const made = await insertEventOnce(client, {
    calendarId,
    sendUpdates,
    event: {
      ...inherited,
      ...spanAt(series, occurrence),
      recurrence: goOnAfter(series.recurrence ?? [], passed),
      ...changes,
      id: randomBytes(16).toString('hex'),
    },
  })
  try {
    await endSeries(client, cut)
  } catch (error) {
    const hasEnded = isRefusal(error) ? false : await findEnding(client, cut)
    if (hasEnded === undefined) {
      throw new AppError(
        'upstream_error',
        `${explainGoogleError(error)} The changed series is there. Nobody knows whether the old one has ended: look at the calendar before trying again.`,
      )
    }
    if (!hasEnded) {
      await client.api.events
        .delete({ calendarId, eventId: made.id ?? '', sendUpdates })
        .catch(() => undefined)
      throw error
    }
  }
  return made
}

/** Whether a series has ended whose ending was not answered; undefined when that cannot be told either. */
async function findEnding(
  { api }: CalendarClient,
  { calendarId, series, occurrence }: SeriesCut,
): Promise<boolean | undefined> {
  const until = untilOf(endBefore(series.recurrence ?? [], placeOf(occurrence)))
  try {
    const { data } = await api.events.get({ calendarId, eventId: series.id ?? '' })
    return until !== undefined && untilOf(data.recurrence ?? []) === until
  } catch {
    return undefined
  }
}

/** How many occurrences a series has before this one, deleted ones included: they count for its rule. */
async function countBefore(
  { api }: CalendarClient,
  { calendarId, series, occurrence }: SeriesCut,
): Promise<number> {
  const limit = toMilliseconds(placeOf(occurrence))
  let count = 0
  let pageToken: string | undefined
  do {
    const { data } = await api.events.instances({
      calendarId,
      eventId: series.id ?? '',
      showDeleted: true,
      maxResults: 2_500,
      ...(pageToken === undefined ? {} : { pageToken }),
    })
    count += (data.items ?? []).filter((item) => toMilliseconds(placeOf(item)) < limit).length
    pageToken = data.nextPageToken ?? undefined
  } while (pageToken !== undefined)
  return count
}

/** The times of a series, beginning at the place of an occurrence. */
function spanAt(series: Event, occurrence: Event): Pick<Event, 'start' | 'end'> {
  const place = placeOf(occurrence)
  const from = toMilliseconds(place)
  const to = from + toMilliseconds(series.end ?? {}) - toMilliseconds(series.start ?? {})
  if (place.date)
    return { start: { date: place.date }, end: { date: new Date(to).toISOString().slice(0, 10) } }
  const timeZone = series.start?.timeZone ?? place.timeZone ?? 'UTC'
  return {
    start: { dateTime: new Date(from).toISOString(), timeZone },
    end: { dateTime: new Date(to).toISOString(), timeZone: series.end?.timeZone ?? timeZone },
  }
}
