import type { calendar_v3 } from '@googleapis/calendar'
import { AppError } from '../../lib/app-error.ts'
import { squeezeSpaces } from '../../lib/squeeze-spaces.ts'
import { nameStart } from './describe-when.ts'
import { beginOf, parseEventTime } from './event-time.ts'
import { readGoogleTime } from './google-event-time.ts'

interface NamedEvent {
  readonly title: string
  readonly start: string
}

/**
 * What is done to an event was approved by somebody who saw this title and this start: another one it is not done to.
 * @throws AppError `invalid_request`
 */
export function requireNamedEvent(event: calendar_v3.Schema$Event, told: NamedEvent, timeZone: string): void {
  if (event.status === 'cancelled') {
    throw new AppError('invalid_request', 'This event has been deleted already. Nothing was done.')
  }
  requireSameTitle(event, told.title)
  const actual = readGoogleTime(event.start, timeZone)
  const start = parseEventTime('start', told.start, timeZone)
  const isSame =
    actual !== undefined &&
    actual.kind === start.kind &&
    beginOf(actual, timeZone).equals(beginOf(start, timeZone))
  if (isSame) return
  throw new AppError(
    'invalid_request',
    `This event starts at ${nameStart(event, timeZone)} and not at ${told.start}. Nothing was done.`,
  )
}

/** @throws AppError `invalid_request` */
export function requireSameTitle(event: calendar_v3.Schema$Event, title: string): void {
  if (squeezeSpaces(event.summary ?? '') === squeezeSpaces(title)) return
  throw new AppError(
    'invalid_request',
    `The title of this event is "${(event.summary ?? '').slice(0, 300)}" and not "${title.slice(0, 300)}". Nothing was done.`,
  )
}
