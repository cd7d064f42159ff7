import { z } from 'zod'
import { AppError } from '../../lib/app-error.ts'
import { googleTool } from '../google/google-tool.ts'
import { requirePlainText } from '../google/outgoing-text.ts'
import { readTimeZone, type CalendarClient } from './client.ts'
import { eventOf, resolveEventTarget, requireApprovedEvent } from './event-target.ts'
import { calendarId, approvedEvent } from './input-schemas.ts'

export const respondToInvitation = googleTool({
  name: 'respond_to_invitation',
  title: 'Respond to an invitation',
  description: 'Accepts, declines or tentatively accepts an invitation. Its organizer is notified.',
  effect: 'changes',
  input: z.object({
    calendar_id: calendarId,
    ...approvedEvent,
    organizer: z
      .string()
      .max(300)
      .describe(
        "The organizer's email address. It is shown to the user and must match the event. The organizer is notified.",
      ),
    scope: z
      .enum(['this_event', 'all_events'])
      .optional()
      .describe('Required for a repeating event: which occurrences.'),
    response: z.enum(['accepted', 'declined', 'tentative']),
    comment: z.string().max(1_000).optional().describe('A sentence for the organizer.'),
  }),
  async run(client: CalendarClient, { calendar_id: calendarId = 'primary', event_id: eventId, ...input }) {
    const zone = await readTimeZone(client)
    const { data: event } = await client.api.events.get({ calendarId, eventId })
    requireApprovedEvent(event, input, zone)
    const organizer = event.organizer?.email ?? ''
    if (organizer.toLowerCase() !== input.organizer.trim().toLowerCase()) {
      throw new AppError(
        'invalid_request',
        `The organizer of this event is ${organizer || 'unknown'}. Nothing was done.`,
      )
    }
    const own = event.attendees?.find(({ self }) => self)
    if (own === undefined) {
      throw new AppError(
        'invalid_request',
        'The owner of this calendar is not among the guests of this event, so no response was sent.',
      )
    }
    const target = await resolveEventTarget(client, calendarId, event, input.scope)
    const comment = input.comment === undefined ? {} : { comment: requirePlainText('comment', input.comment) }
    await client.api.events.patch({
      calendarId,
      eventId: eventOf(target).id ?? '',
      sendUpdates: 'all',
      requestBody: {
        // With this flag Google changes only the user's own response.
        attendeesOmitted: true,
        attendees: [{ email: own.email ?? '', responseStatus: input.response, ...comment }],
      },
    })
    return `The response was sent: ${input.response}.`
  },
})
