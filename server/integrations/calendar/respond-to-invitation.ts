import { z } from 'zod'
import { AppError } from '../../lib/app-error.ts'
import { googleTool } from '../google/google-tool.ts'
import { requirePlainText } from '../google/require-plain-text.ts'
import type { CalendarClient } from './calendar-client.ts'
import { calendarId, namedEvent } from './calendar-ids.ts'
import { findEventTarget } from './event-target.ts'
import { findTimeZone } from './find-time-zone.ts'
import { requireNamedEvent } from './require-named-event.ts'

export const respondToInvitation = googleTool({
  name: 'respond_to_invitation',
  title: 'Respond to an invitation',
  description: 'Accepts, declines or leaves open an invitation. Its organizer gets to know.',
  effect: 'changes',
  input: z.object({
    calendar_id: calendarId,
    ...namedEvent,
    organizer: z.string().max(300).describe('The address of the organizer, who is told: it is checked.'),
    scope: z
      .enum(['this_event', 'all_events'])
      .optional()
      .describe('For an event that repeats: which occurrences. Must be given for one that does.'),
    response: z.enum(['accepted', 'declined', 'tentative']),
    comment: z.string().max(1_000).optional().describe('A sentence to the organizer.'),
  }),
  async run(client: CalendarClient, { calendar_id: calendarId = 'primary', event_id: eventId, ...input }) {
    const zone = await findTimeZone(client)
    const { data: event } = await client.api.events.get({ calendarId, eventId })
    requireNamedEvent(event, input, zone)
    const organizer = event.organizer?.email ?? ''
    if (organizer.toLowerCase() !== input.organizer.trim().toLowerCase()) {
      throw new AppError('invalid_request', `The organizer is ${organizer || 'unknown'}. Nothing was done.`)
    }
    const own = event.attendees?.find(({ self }) => self)
    if (own === undefined) throw new AppError('invalid_request', 'The user is not invited to this event.')
    const target = await findEventTarget(client, calendarId, event, input.scope)
    const { id } = target.kind === 'one' ? target.event : target.series
    const comment = input.comment === undefined ? {} : { comment: requirePlainText('comment', input.comment) }
    await client.api.events.patch({
      calendarId,
      eventId: id ?? '',
      sendUpdates: 'all',
      requestBody: {
        // Then what is sent is the own answer, and nobody else's is touched.
        attendeesOmitted: true,
        attendees: [{ email: own.email ?? '', responseStatus: input.response, ...comment }],
      },
    })
    return `The answer is given: ${input.response}.`
  },
})
