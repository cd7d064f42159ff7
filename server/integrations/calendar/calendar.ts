import { deleteEvent, respondToInvitation, updateEvent } from './change-events.ts'
import { createEvent } from './create-event.ts'
import { findBusyTimes, listCalendars, listEvents, readEvent } from './read-calendar.ts'

export { openCalendar as open, readCalendarAccount as readAccount } from './client.ts'

export const tools = [
  listCalendars,
  listEvents,
  readEvent,
  findBusyTimes,
  createEvent,
  updateEvent,
  deleteEvent,
  respondToInvitation,
]
