import { AppError } from '../../lib/app-error.ts'
import { beginOf, endOf, parseEventTime } from './event-time.ts'
import type { EventTime } from './event-time.ts'

/** From when to when; of whole days the last one is part of it. */
export interface EventSpan {
  readonly start: EventTime
  readonly end: EventTime
}

/**
 * The times that a tool was given for an event.
 * @throws AppError `invalid_request` when they do not go together
 */
export function parseEventSpan(start: string, end: string, timeZone: string): EventSpan {
  const span = {
    start: parseEventTime('start', start, timeZone),
    end: parseEventTime('end', end, timeZone),
  }
  if (span.start.kind !== span.end.kind) {
    throw new AppError('invalid_request', '"start" and "end" must both be days, or both be times of day.')
  }
  const [from, to] = [beginOf(span.start, timeZone), endOf(span.end, timeZone)]
  if (to.epochMilliseconds < from.epochMilliseconds) {
    throw new AppError('invalid_request', 'The event ends before it starts. Nothing was done.')
  }
  return span
}
