import { z } from 'zod'

/** Ids go into paths: nothing else than Google makes them of, and no way to a parent. */
export const eventId = z
  .string()
  .regex(/^[\w-]{1,1024}$/)
  .describe('The event_id from list_events. One occurrence of a series has an id of its own.')

export const calendarId = z
  .string()
  .regex(/^[\w#][\w.@#%+-]{0,300}$/)
  .optional()
  .describe("The calendar_id from list_calendars; the user's own calendar when absent.")

export const time = z.string().max(40)
export const timeZone = z
  .string()
  .max(100)
  .optional()
  .describe("An IANA name such as Europe/Vienna. The user's own when absent.")

/** What a person is shown of an event that something is done to. */
export const namedEvent = {
  event_id: eventId,
  title: z
    .string()
    .max(2_000)
    .describe('The title that the event has, exactly: the user is shown it, and it is checked.'),
  start: time.describe('The start that the event has, as list_events gives it: shown and checked too.'),
}

export const scope = z
  .enum(['this_event', 'all_events', 'this_and_following'])
  .optional()
  .describe('For an event that repeats: which occurrences. Must be given for one that does.')

export const emailGuests = z
  .array(z.string().max(300))
  .max(500)
  .optional()
  .describe(
    'Must be given for an event with guests: the addresses of all of them, to let Google write to them, or an empty list, to write to nobody.',
  )
