import type { calendar_v3 } from '@googleapis/calendar'
import { AccountCalendar, startOf, endOf, type StoredEvent } from './account-calendar.ts'
import { ApiStandIn, type ApiCall } from './api-stand-in.ts'
import { calendarMethods } from './discovery.ts'
import { GoogleApiError, notFound } from './google-api-error.ts'

type Event = calendar_v3.Schema$Event

/** Google Calendar, with one calendar for each account. */
export class CalendarApi extends ApiStandIn {
  readonly #calendars: Map<string, AccountCalendar>

  constructor(calendars: Map<string, AccountCalendar>) {
    const of = (handle: (calendar: AccountCalendar, call: ApiCall) => unknown) => (call: ApiCall) => {
      const id = call.params['calendarId'] ?? 'primary'
      if (id !== 'primary' && id !== call.account) throw notFound()
      return handle(calendarOf(calendars, call.account), call)
    }
    super({
      prefix: '/calendar-api',
      methods: calendarMethods,
      handlers: {
        'calendar.calendarList.get': of(describeCalendar),
        'calendar.calendarList.list': of((calendar) => ({ items: [describeCalendar(calendar)] })),
        'calendar.events.delete': of(deleteEvent),
        'calendar.events.get': of((calendar, { params }) => calendar.require(text(params['eventId']))),
        'calendar.events.insert': of(insertEvent),
        'calendar.events.instances': of(listInstances),
        'calendar.events.list': of(listEvents),
        'calendar.events.patch': of(patchEvent),
        'calendar.freebusy.query': of(queryBusy),
        'calendar.settings.get': of((calendar, { params }) => {
          if (params['setting'] !== 'timezone') throw notFound()
          return { kind: 'calendar#setting', id: 'timezone', value: calendar.timeZone }
        }),
      },
    })
    this.#calendars = calendars
  }

  calendar(account: string): AccountCalendar {
    return calendarOf(this.#calendars, account)
  }
}

export function createCalendarApi(): CalendarApi {
  return new CalendarApi(new Map())
}

function calendarOf(calendars: Map<string, AccountCalendar>, account: string): AccountCalendar {
  const known = calendars.get(account) ?? new AccountCalendar(account)
  calendars.set(account, known)
  return known
}

function describeCalendar({ account, timeZone }: AccountCalendar): calendar_v3.Schema$CalendarListEntry {
  return { id: account, summary: account, primary: true, accessRole: 'owner', timeZone }
}

function insertEvent(calendar: AccountCalendar, { params, body }: ApiCall): StoredEvent {
  const event = body as Event
  if (event.id && !/^[a-v0-9]{5,1024}$/.test(event.id))
    throw new GoogleApiError(400, 'Invalid resource id value.')
  if (event.id && calendar.events.has(event.id)) {
    throw new GoogleApiError(409, 'The requested identifier already exists.')
  }
  requireTimes(event)
  const created = calendar.put(event)
  emailGuests(calendar, created, params)
  return created
}

/** Null clears a field. The fields of times are merged too. */
function patchEvent(calendar: AccountCalendar, { params, body }: ApiCall): StoredEvent {
  const patch = body as Event
  const before = calendar.require(text(params['eventId']))
  const merged: Event = { ...before, ...patch }
  for (const name of ['start', 'end'] as const) {
    if (patch[name]) merged[name] = dropNulls({ ...before[name], ...patch[name] })
  }
  if (patch.attendeesOmitted === true) merged.attendees = mergeOwnAnswer(before, patch)
  delete merged.attendeesOmitted
  requireTimes(merged)
  const changed = calendar.put(dropNulls(merged))
  emailGuests(calendar, changed, params)
  return changed
}

function mergeOwnAnswer(before: Event, { attendees }: Event): calendar_v3.Schema$EventAttendee[] {
  const own = attendees?.[0]
  return (before.attendees ?? []).map((guest) => (guest.self === true ? { ...guest, ...own } : guest))
}

function deleteEvent(calendar: AccountCalendar, { params }: ApiCall): undefined {
  emailGuests(calendar, calendar.remove(text(params['eventId'])), params)
}

function listEvents(calendar: AccountCalendar, { params }: ApiCall): calendar_v3.Schema$Events {
  const from = Date.parse(text(params['timeMin']))
  const to = Date.parse(text(params['timeMax']))
  if (!(to > from)) throw new GoogleApiError(400, 'The specified time range is empty.')
  if (params['orderBy'] === 'startTime' && params['singleEvents'] !== 'true') {
    throw new GoogleApiError(400, 'The requested ordering is not available for the particular query.')
  }
  const words = text(params['q']).toLowerCase()
  const found = calendar
    .listSingle(to)
    .filter((event) => event.status !== 'cancelled' && startOf(event) < to)
    .filter((event) => endOf(event) > from || (event.endTimeUnspecified === true && startOf(event) >= from))
    .filter((event) =>
      `${event.summary} ${event.description} ${event.location}`.toLowerCase().includes(words),
    )
  return { kind: 'calendar#events', timeZone: calendar.timeZone, ...takePage(found, params) }
}

function listInstances(calendar: AccountCalendar, { params }: ApiCall): calendar_v3.Schema$Events {
  const all = calendar.listInstances(calendar.require(text(params['eventId'])))
  const shown = all.filter(({ status }) => params['showDeleted'] === 'true' || status !== 'cancelled')
  return takePage(shown, params)
}

function queryBusy(calendar: AccountCalendar, { body }: ApiCall): calendar_v3.Schema$FreeBusyResponse {
  const { items, timeMin, timeMax } = body as calendar_v3.Schema$FreeBusyRequest
  const [from, to] = [Date.parse(timeMin ?? ''), Date.parse(timeMax ?? '')]
  const busy = calendar
    .listSingle(to)
    .filter((event) => event.status !== 'cancelled' && event.transparency !== 'transparent')
    .filter((event) => startOf(event) < to && endOf(event) > from)
    .map((event) => ({
      start: new Date(startOf(event)).toISOString(),
      end: new Date(endOf(event)).toISOString(),
    }))
  const calendars = (items ?? []).map(({ id }) => [
    id,
    id === 'primary' || id === calendar.account
      ? { busy }
      : { errors: [{ domain: 'global', reason: 'notFound' }], busy: [] },
  ])
  return { timeMin: timeMin ?? null, timeMax: timeMax ?? null, calendars: Object.fromEntries(calendars) }
}

function requireTimes(event: Event): void {
  if (Boolean(event.start?.date) !== Boolean(event.end?.date) || Number.isNaN(startOf(event))) {
    throw new GoogleApiError(400, 'Start and end times must either both be date or both be dateTime.')
  }
  if (endOf(event) < startOf(event)) throw new GoogleApiError(400, 'The specified time range is empty.')
  if (event.recurrence && event.start?.dateTime && !event.start.timeZone) {
    throw new GoogleApiError(400, 'Missing time zone definition for start time.')
  }
}

function emailGuests(calendar: AccountCalendar, event: StoredEvent, params: ApiCall['params']): void {
  if (params['sendUpdates'] !== 'all') return
  const to = (event.attendees ?? []).filter(({ self }) => self !== true).map(({ email }) => email ?? '')
  calendar.mails.push({ event: event.id, to })
}

function takePage(all: readonly StoredEvent[], params: ApiCall['params']): calendar_v3.Schema$Events {
  const from = Number(text(params['pageToken']) || 0)
  const to = from + Number(text(params['maxResults']) || 250)
  return { items: all.slice(from, to), ...(to < all.length ? { nextPageToken: String(to) } : {}) }
}

function dropNulls<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null)) as Value
}

function text(value: string | readonly string[] | undefined): string {
  return typeof value === 'string' ? value : ''
}
