import type { calendar_v3 } from '@googleapis/calendar'
import { AppError } from '../../lib/app-error.ts'
import { requireAddresses } from '../google/require-addresses.ts'
import { requireLine, requirePlainText } from '../google/require-plain-text.ts'
import { changeGuests } from './change-guests.ts'
import { placeOf, requireRule } from './cut-recurrence.ts'
import { parseEventSpan } from './event-span.ts'
import type { EventSpan } from './event-span.ts'
import type { EventTarget } from './event-target.ts'
import { toGoogleEnd, toGoogleStart } from './google-event-time.ts'
import { moveSeries } from './move-series.ts'

type Event = calendar_v3.Schema$Event
type Optional<Value> = Value | undefined

export interface EventChanges {
  readonly new_title?: Optional<string>
  readonly new_start?: Optional<string>
  readonly new_end?: Optional<string>
  readonly new_location?: Optional<string>
  readonly new_description?: Optional<string>
  readonly new_recurrence?: Optional<string>
  readonly add_guests?: Optional<readonly string[]>
  readonly remove_guests?: Optional<readonly string[]>
}

/**
 * What a change says of an event, as Google takes it: how it is to be afterwards.
 * @throws AppError `invalid_request`
 */
export function buildEventPatch(target: EventTarget, changes: EventChanges, timeZone: string): Event {
  const { new_title: title, new_location: location, new_description: description } = changes
  return {
    ...(title === undefined ? {} : { summary: requireLine('new_title', title) }),
    ...(location === undefined ? {} : { location: requireLine('new_location', location) }),
    ...(description === undefined ? {} : { description: requirePlainText('new_description', description) }),
    ...patchRule(target, changes),
    ...patchTimes(target, changes, timeZone),
    ...patchGuests(target, changes),
  }
}

function patchRule(target: EventTarget, { new_recurrence: rule }: EventChanges): Event {
  if (rule === undefined) return {}
  if (target.kind === 'one' && target.event.recurringEventId) {
    throw new AppError('invalid_request', 'One occurrence has no rule of its own: choose another "scope".')
  }
  return { recurrence: [requireRule(rule)] }
}

function patchTimes(target: EventTarget, changes: EventChanges, timeZone: string): Event {
  const { new_start: start, new_end: end, new_recurrence: rule } = changes
  if (start === undefined && end === undefined) return {}
  if (start === undefined || end === undefined) {
    throw new AppError('invalid_request', 'Give "new_start" and "new_end" together. Nothing was done.')
  }
  const wanted = parseEventSpan(start, end, timeZone)
  if (target.kind === 'one') return toGoogle(wanted)
  const { series, occurrence } = target
  const moved = target.kind === 'series' ? series : { ...series, start: restStart(series, occurrence) }
  return toGoogle(moveSeries(moved, occurrence, wanted, { timeZone, hasNewRule: rule !== undefined }))
}

/** Where the series would begin that goes on from an occurrence. */
function restStart(series: Event, occurrence: Event): NonNullable<Event['start']> {
  return { ...placeOf(occurrence), timeZone: series.start?.timeZone ?? null }
}

function toGoogle({ start, end }: EventSpan): Event {
  return { start: toGoogleStart(start), end: toGoogleEnd(end) }
}

function patchGuests(target: EventTarget, changes: EventChanges): Event {
  const add = requireAddresses('add_guests', changes.add_guests)
  const remove = requireAddresses('remove_guests', changes.remove_guests)
  if (add.length + remove.length === 0) return {}
  const { attendees } = target.kind === 'one' ? target.event : target.series
  return { attendees: changeGuests(attendees ?? [], { add, remove }) }
}
