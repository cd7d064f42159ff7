import type { calendar_v3 } from '@googleapis/calendar'
import { AppError } from '../../lib/app-error.ts'
import { explainGoogleError, wasNotExecuted } from '../google/errors.ts'
import type { CalendarClient } from './client.ts'
import { insertEventOnce } from './create-event.ts'
import {
  continueAfter,
  endBefore,
  isCounted,
  originalStartOf,
  toMilliseconds,
  untilOf,
} from './recurrence.ts'

type Event = calendar_v3.Schema$Event

interface SeriesSplit {
  readonly calendarId: string
  readonly series: Event
  /** The first occurrence that no longer belongs to the old series. */
  readonly occurrence: Event
  readonly sendUpdates: 'all' | 'none'
}

/** The fields that the new series copies from the old one. */
const copiedFields = [
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

/** Ends a series before `split.occurrence`. */
export async function endSeries({ api }: CalendarClient, split: SeriesSplit): Promise<void> {
  const recurrence = endBefore(split.series.recurrence ?? [], originalStartOf(split.occurrence))
  await api.events.patch({
    calendarId: split.calendarId,
    eventId: split.series.id ?? '',
    sendUpdates: split.sendUpdates,
    requestBody: { recurrence },
  })
}

/**
 * Splits a series: creates a new series with the changes, then lets the old one end where it begins, and returns the
 * new one. When the old series certainly did not end, the new one is deleted if possible, so that the user does not
 * have both. When it is unknown whether it ended, the new one is kept, so that no occurrence is lost.
 * @throws AppError `upstream_error` when it is unknown whether the new series was created or the old one has ended,
 * else the error of Google
 */
export async function splitSeries(
  client: CalendarClient,
  split: SeriesSplit,
  changes: Event,
): Promise<Event> {
  const { calendarId, series, occurrence, sendUpdates } = split
  const passed = isCounted(series.recurrence ?? []) ? await countOccurrencesBefore(client, split) : 0
  const copied = Object.fromEntries(copiedFields.map((name) => [name, series[name]])) as Event
  const created = await insertEventOnce(client, {
    calendarId,
    sendUpdates,
    event: {
      ...copied,
      ...timesFrom(series, occurrence),
      recurrence: continueAfter(series.recurrence ?? [], passed),
      ...changes,
    },
  })
  try {
    await endSeries(client, split)
  } catch (error) {
    const hasEnded = wasNotExecuted(error) ? false : await wasSeriesEnded(client, split)
    if (hasEnded === undefined) {
      throw new AppError(
        'upstream_error',
        `${explainGoogleError(error)} The changed series was created. The old one may or may not have ended. Check the calendar before trying again.`,
      )
    }
    if (!hasEnded) {
      await client.api.events
        .delete({ calendarId, eventId: created.id ?? '', sendUpdates })
        .catch(() => undefined)
      throw error
    }
  }
  return created
}

/** Whether the series has ended, although the request failed. Undefined when this cannot be read. */
async function wasSeriesEnded(
  { api }: CalendarClient,
  { calendarId, series, occurrence }: SeriesSplit,
): Promise<boolean | undefined> {
  const until = untilOf(endBefore(series.recurrence ?? [], originalStartOf(occurrence)))
  try {
    const { data } = await api.events.get({ calendarId, eventId: series.id ?? '' })
    return until !== undefined && untilOf(data.recurrence ?? []) === until
  } catch {
    return undefined
  }
}

/** Counts the occurrences before `occurrence`. Deleted ones count, because the COUNT of a rule includes them. */
async function countOccurrencesBefore(
  { api }: CalendarClient,
  { calendarId, series, occurrence }: SeriesSplit,
): Promise<number> {
  const limit = toMilliseconds(originalStartOf(occurrence))
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
    count += (data.items ?? []).filter((item) => toMilliseconds(originalStartOf(item)) < limit).length
    pageToken = data.nextPageToken ?? undefined
  } while (pageToken !== undefined)
  return count
}

/**
 * The times of a series that begins with this occurrence: its start by the rule of the old series, and the length of
 * that series' first occurrence.
 */
function timesFrom(series: Event, occurrence: Event): Pick<Event, 'start' | 'end'> {
  const original = originalStartOf(occurrence)
  const from = toMilliseconds(original)
  const to = from + toMilliseconds(series.end ?? {}) - toMilliseconds(series.start ?? {})
  if (original.date)
    return { start: { date: original.date }, end: { date: new Date(to).toISOString().slice(0, 10) } }
  const timeZone = series.start?.timeZone ?? original.timeZone ?? 'UTC'
  return {
    start: { dateTime: new Date(from).toISOString(), timeZone },
    end: { dateTime: new Date(to).toISOString(), timeZone: series.end?.timeZone ?? timeZone },
  }
}
