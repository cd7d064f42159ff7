import { z } from 'zod'

/** Ids become part of URL paths, so only the characters that Google uses are allowed, and no id is "..". */
export const eventId = z
  .string()
  .regex(/^[\w-]{1,1024}$/)
  .describe('The event_id from list_events. Each occurrence of a series has its own id.')

export const calendarId = z
  .string()
  .regex(/^[\w#][\w.@#%+-]{0,300}$/)
  .optional()
  .describe("The calendar_id from list_calendars. Default: the user's own calendar.")

export const time = z.string().max(40)
export const timeZone = z
  .string()
  .max(100)
  .optional()
  .describe("An IANA name such as Europe/Vienna. Default: the user's own time zone.")

/** The event to change, with the title and start that the user sees when approving the call. */
export const approvedEvent = {
  event_id: eventId,
  title: z
    .string()
    .max(2_000)
    .describe('The exact current title of the event. It is shown to the user and must match the event.'),
  start: time.describe(
    'The current start of the event, as list_events returns it. It is shown to the user and must match the event.',
  ),
}

export const scope = z
  .enum(['this_event', 'all_events', 'this_and_following'])
  .optional()
  .describe('Required for a repeating event: which occurrences.')

export const emailGuests = z
  .array(z.string().max(300))
  .max(500)
  .optional()
  .describe(
    'Required for an event with guests: the addresses of all of them, so that Google emails them, or an empty list, so that nobody is emailed.',
  )
