import { randomBytes } from 'node:crypto'
import type { calendar_v3 } from '@googleapis/calendar'
import { Temporal } from 'temporal-polyfill'
import { expandRecurrence, toMilliseconds } from './expand-recurrence.ts'
import type { Occurrence } from './expand-recurrence.ts'
import { GoogleApiError, notFound } from './google-api-error.ts'

export type StoredEvent = calendar_v3.Schema$Event & { readonly id: string }

/** One account's calendar: events by their ids, and changed occurrences of series by theirs. */
export class AccountCalendar {
  readonly events = new Map<string, StoredEvent>()
  /** What Google would have written to guests: for which event, and to whom. */
  readonly mails: { readonly event: string; readonly to: readonly string[] }[] = []
  timeZone = 'Europe/Vienna'
  readonly account: string

  constructor(account: string) {
    this.account = account
  }

  /** An event is there, made by the account unless it says otherwise. */
  put(event: calendar_v3.Schema$Event): StoredEvent {
    const id = event.id ?? randomBytes(13).toString('hex')
    const stored: StoredEvent = {
      kind: 'calendar#event',
      status: 'confirmed',
      etag: '"1"',
      organizer: { email: this.account, self: true },
      htmlLink: `https://www.google.com/calendar/event?eid=${id}`,
      ...event,
      id,
    }
    this.events.set(id, stored)
    return stored
  }

  /** @throws GoogleApiError 404; occurrences of a series are there without having been put */
  require(id: string): StoredEvent {
    const known = this.events.get(id) ?? this.#findOccurrence(id)
    if (known === undefined) throw notFound()
    return known
  }

  /** @throws GoogleApiError 404, 410 */
  remove(id: string): StoredEvent {
    const event = this.require(id)
    if (event.status === 'cancelled') throw new GoogleApiError(410, 'Resource has been deleted')
    this.events.set(id, { ...event, status: 'cancelled' })
    return event
  }

  /** Every single event and occurrence that begins by then, in order, deleted ones included. */
  listSingle(until: number): StoredEvent[] {
    const own = [...this.events.values()].filter(
      ({ recurrence, recurringEventId }) => !recurrence && !recurringEventId,
    )
    const series = [...this.events.values()].filter(
      ({ recurrence, status }) => recurrence && status !== 'cancelled',
    )
    return [...own, ...series.flatMap((event) => this.listInstances(event, until))].toSorted(
      (a, b) => beginOf(a) - beginOf(b),
    )
  }

  listInstances(series: StoredEvent, until = Date.UTC(2030, 0)): StoredEvent[] {
    const start = readStart(series)
    if (start === undefined) return []
    return expandRecurrence(start, series.recurrence ?? [], until).map((at) => {
      const id = `${series.id}_${nameOf(at)}`
      return this.events.get(id) ?? toInstance(series, id, at)
    })
  }

  #findOccurrence(id: string): StoredEvent | undefined {
    const series = this.events.get(id.slice(0, id.lastIndexOf('_')))
    if (series?.recurrence === undefined || series.status === 'cancelled') return undefined
    return this.listInstances(series).find((event) => event.id === id)
  }
}

/** Milliseconds since 1970. */
export function beginOf({ start }: calendar_v3.Schema$Event): number {
  return Date.parse(start?.dateTime ?? start?.date ?? '')
}

export function endOf({ end, start }: calendar_v3.Schema$Event): number {
  return Date.parse(end?.dateTime ?? end?.date ?? start?.dateTime ?? start?.date ?? '')
}

function readStart({ start }: StoredEvent): Occurrence | undefined {
  if (start?.date) return Temporal.PlainDate.from(start.date)
  if (!start?.dateTime) return undefined
  return Temporal.Instant.from(start.dateTime).toZonedDateTimeISO(start.timeZone ?? 'UTC')
}

function nameOf(at: Occurrence): string {
  const text = new Date(toMilliseconds(at)).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  return at instanceof Temporal.ZonedDateTime ? text : text.slice(0, 8)
}

function toInstance(series: StoredEvent, id: string, at: Occurrence): StoredEvent {
  const { recurrence: _, ...rest } = series
  const length = endOf(series) - beginOf(series)
  const timeZone = series.start?.timeZone ?? 'UTC'
  const place =
    at instanceof Temporal.ZonedDateTime
      ? { dateTime: at.toString({ timeZoneName: 'never' }), timeZone }
      : { date: at.toString() }
  const end =
    at instanceof Temporal.ZonedDateTime
      ? { dateTime: new Date(toMilliseconds(at) + length).toISOString(), timeZone }
      : { date: new Date(toMilliseconds(at) + length).toISOString().slice(0, 10) }
  return { ...rest, id, recurringEventId: series.id, originalStartTime: place, start: place, end }
}
