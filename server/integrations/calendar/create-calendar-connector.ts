import { titleOfIntegration } from '@yonder/contract/integration-names'
import type { GoogleConnectorDeps } from '../google-connector-deps.ts'
import type { GoogleLimits } from '../google/google-limits.ts'
import type { IntegrationConnector } from '../integration-connector.ts'

/**
 * Google Calendar, for whoever has connected it: tools that read run at once, all others ask. Its code is loaded when it
 * is used.
 */
export function createCalendarConnector(
  deps: GoogleConnectorDeps,
  limits?: GoogleLimits,
): IntegrationConnector {
  return {
    integration: 'google-calendar',
    name: titleOfIntegration('google-calendar'),
    url: 'builtin://google-calendar',
    slug: 'calendar',
    initialTools: ['list_calendars', 'list_events', 'read_event', 'find_busy_times'],
    fetch: async (userId, request) => {
      const [{ createMcpHandler }, { createCalendarServer }] = await Promise.all([
        import('@modelcontextprotocol/server'),
        import('./create-calendar-server.ts'),
      ])
      return createMcpHandler(() => createCalendarServer(deps, userId, limits)).fetch(request)
    },
  }
}
