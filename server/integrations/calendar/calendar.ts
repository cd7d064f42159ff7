import { createEvent } from './create-event.ts'
import { deleteEvent } from './delete-event.ts'
import { findBusyTimes, listCalendars, listEvents, readEvent } from './read-calendar.ts'
import { respondToInvitation } from './respond-to-invitation.ts'
import { updateEvent } from './update-event.ts'

export { openCalendar, readTimeZone } from './client.ts'

export const calendarTools = [
  listCalendars,
  listEvents,
  readEvent,
  findBusyTimes,
  createEvent,
  updateEvent,
  deleteEvent,
  respondToInvitation,
]
