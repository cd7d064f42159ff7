import { McpServer } from '@modelcontextprotocol/server'
import type { GoogleApiDeps } from '../google/api-client.ts'
import type { GoogleLimits } from '../google/retry.ts'
import type { IntegrationAccount } from '../integration-connector.ts'
import { openCalendar } from './client.ts'
import { createEvent } from './create-event.ts'
import { deleteEvent } from './delete-event.ts'
import { findBusyTimes, listCalendars, listEvents, readEvent } from './read-calendar.ts'
import { respondToInvitation } from './respond-to-invitation.ts'
import { updateEvent } from './update-event.ts'

const tools = [
  listCalendars,
  listEvents,
  readEvent,
  findBusyTimes,
  createEvent,
  updateEvent,
  deleteEvent,
  respondToInvitation,
]

/** The MCP server of one user's Google Calendar. */
export function createCalendarServer(
  deps: GoogleApiDeps,
  account: IntegrationAccount,
  limits?: GoogleLimits,
): McpServer {
  const server = new McpServer({ name: 'yonder-calendar', title: 'Google Calendar', version: '1.0.0' })
  const openClient = (signal: AbortSignal) => openCalendar(deps, account.userId, signal, limits)
  for (const tool of tools)
    tool.register(server, openClient, (failure) => deps.recordFailure(account, 'google-calendar', failure))
  return server
}
