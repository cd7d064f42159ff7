import { randomBytes } from 'node:crypto'
import type { calendar_v3 } from '@googleapis/calendar'
import { RRuleTemporal } from 'rrule-temporal'
import { Temporal } from 'temporal-polyfill'
import { GoogleApiError, notFound } from './google-api-error.ts'

export type StoredEvent = calendar_v3.Schema$Event & { readonly id: string }

/** The start of an occurrence: a day, or a moment in the time zone of its series. */
type Occurrence = Temporal.PlainDate | Temporal.ZonedDateTime

/** The calendar of one account. Changed occurrences of a series are events of their own. */
export class AccountCalendar {
  readonly events = new Map<string, StoredEvent>()
  /** The emails that Google would have sent to guests. */
  readonly mails: { readonly event: string; readonly to: readonly string[] }[] = []
  timeZone = 'Europe/Vienna'
  readonly account: string

  constructor(account: string) {
    this.account = account
  }

  /** Stores an event, by default with the account as its organizer. */
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

  /**
   * Returns an event or an occurrence of a series.
   * @throws GoogleApiError 404
   */
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

  /**
   * Single events, and the occurrences of series until `until` (milliseconds since 1970), in order of their start.
   * Deleted events and occurrences are included, deleted series are not.
   */
  listSingle(until: number): StoredEvent[] {
    const single = [...this.events.values()].filter(
      ({ recurrence, recurringEventId }) => !recurrence && !recurringEventId,
    )
    const series = [...this.events.values()].filter(
      ({ recurrence, status }) => recurrence && status !== 'cancelled',
    )
    return [...single, ...series.flatMap((event) => this.listInstances(event, until))].toSorted(
      (a, b) => startOf(a) - startOf(b),
    )
  }

  listInstances(series: StoredEvent, until = Date.UTC(2030, 0)): StoredEvent[] {
    const start = readStart(series)
    if (start === undefined) return []
    return expandRule(start, series.recurrence ?? [], until).map((at) => {
      const id = `${series.id}_${suffixOf(at)}`
      return this.events.get(id) ?? toInstance(series, id, at)
    })
  }

  #findOccurrence(id: string): StoredEvent | undefined {
    const series = this.events.get(id.slice(0, id.lastIndexOf('_')))
    if (series?.recurrence === undefined || series.status === 'cancelled') return undefined
    return this.listInstances(series).find((event) => event.id === id)
  }
}

/** Milliseconds since 1970; `NaN` without a start. */
export function startOf({ start }: calendar_v3.Schema$Event): number {
  return Date.parse(start?.dateTime ?? start?.date ?? '')
}

/** Milliseconds since 1970; the start of an event without an end. */
export function endOf({ end, start }: calendar_v3.Schema$Event): number {
  return Date.parse(end?.dateTime ?? end?.date ?? start?.dateTime ?? start?.date ?? '')
}

function readStart({ start }: StoredEvent): Occurrence | undefined {
  if (start?.date) return Temporal.PlainDate.from(start.date)
  if (!start?.dateTime) return undefined
  return Temporal.Instant.from(start.dateTime).toZonedDateTimeISO(start.timeZone ?? 'UTC')
}

/** Google appends the original start to the id of the series. */
function suffixOf(at: Occurrence): string {
  const text = new Date(toMilliseconds(at)).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  return at instanceof Temporal.ZonedDateTime ? text : text.slice(0, 8)
}

function toInstance(series: StoredEvent, id: string, at: Occurrence): StoredEvent {
  const { recurrence: _, ...fields } = series
  const length = endOf(series) - startOf(series)
  const timeZone = series.start?.timeZone ?? 'UTC'
  const start =
    at instanceof Temporal.ZonedDateTime
      ? { dateTime: at.toString({ timeZoneName: 'never' }), timeZone }
      : { date: at.toString() }
  const end =
    at instanceof Temporal.ZonedDateTime
      ? { dateTime: new Date(toMilliseconds(at) + length).toISOString(), timeZone }
      : { date: new Date(toMilliseconds(at) + length).toISOString().slice(0, 10) }
  return { ...fields, id, recurringEventId: series.id, originalStartTime: start, start, end }
}

function expandRule(start: Occurrence, lines: readonly string[], until: number): Occurrence[] {
  const isMoment = start instanceof Temporal.ZonedDateTime
  const rule = new RRuleTemporal({
    rruleString: lines.find((line) => line.startsWith('RRULE:')) ?? 'RRULE:FREQ=DAILY;COUNT=1',
    dtstart: isMoment ? start : start.toZonedDateTime('UTC'),
    temporal: Temporal,
  })
  const found = rule.between(new Date(toMilliseconds(start)), new Date(until), true)
  return isMoment ? found : found.map((day) => day.toPlainDate())
}

function toMilliseconds(time: Occurrence): number {
  return time instanceof Temporal.ZonedDateTime
    ? time.epochMilliseconds
    : time.toZonedDateTime('UTC').epochMilliseconds
}
