import { titleOfIntegration } from '@yonder/contract/integration-names'
import type { GoogleApiDeps } from './google/api-client.ts'
import type { GoogleLimits } from './google/google-limits.ts'
import type { IntegrationConnector } from './integration-connector.ts'

/** Gmail as a connector. Its code is loaded when it is first used. */
export function createGmailConnector(deps: GoogleApiDeps, limits?: GoogleLimits): IntegrationConnector {
  return {
    integration: 'google-gmail',
    name: titleOfIntegration('google-gmail'),
    url: 'builtin://google-gmail',
    slug: 'gmail',
    initialTools: [
      'search_messages',
      'read_message',
      'read_thread',
      'list_labels',
      'list_drafts',
      'read_draft',
    ],
    fetch: async (userId, request) => {
      const [{ createMcpHandler }, { createGmailServer }] = await Promise.all([
        import('@modelcontextprotocol/server'),
        import('./gmail/server.ts'),
      ])
      return createMcpHandler(() => createGmailServer(deps, userId, limits)).fetch(request)
    },
  }
}

/** Google Calendar as a connector. Its code is loaded when it is first used. */
export function createCalendarConnector(deps: GoogleApiDeps, limits?: GoogleLimits): IntegrationConnector {
  return {
    integration: 'google-calendar',
    name: titleOfIntegration('google-calendar'),
    url: 'builtin://google-calendar',
    slug: 'calendar',
    initialTools: ['list_calendars', 'list_events', 'read_event', 'find_busy_times'],
    fetch: async (userId, request) => {
      const [{ createMcpHandler }, { createCalendarServer }] = await Promise.all([
        import('@modelcontextprotocol/server'),
        import('./calendar/server.ts'),
      ])
      return createMcpHandler(() => createCalendarServer(deps, userId, limits)).fetch(request)
    },
  }
}
