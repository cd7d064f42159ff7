import { titleOfIntegration } from '@yonder/contract/integration-names'
import type { GoogleApiDeps } from './google/api-client.ts'
import type { GoogleLimits } from './google/retry.ts'
import type { IntegrationConnector } from './integration-connector.ts'

/** The connector of Gmail. Its server is loaded when a user first uses it. */
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
    server: {
      kind: 'in_process',
      async create(userId) {
        const { createGmailServer } = await import('./gmail/server.ts')
        return createGmailServer(deps, userId, limits)
      },
    },
  }
}

/** The connector of Google Calendar. Its server is loaded when a user first uses it. */
export function createCalendarConnector(deps: GoogleApiDeps, limits?: GoogleLimits): IntegrationConnector {
  return {
    integration: 'google-calendar',
    name: titleOfIntegration('google-calendar'),
    url: 'builtin://google-calendar',
    slug: 'calendar',
    initialTools: ['list_calendars', 'list_events', 'read_event', 'find_busy_times'],
    server: {
      kind: 'in_process',
      async create(userId) {
        const { createCalendarServer } = await import('./calendar/server.ts')
        return createCalendarServer(deps, userId, limits)
      },
    },
  }
}
