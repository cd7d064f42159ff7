import { titleOfIntegration } from '@yonder/contract/integration-names'
import type { GoogleApiDeps } from './google/api-client.ts'
import type { GoogleLimits } from './google/retry.ts'
import type { IntegrationConnector } from './integration-connector.ts'

/** A short limit, because the card of a call that needs approval shows '…' until its account has been read. */
const maxAccountReadMs = 5_000

/** Creates the connector of Gmail. The code of its server is loaded when it is first used. */
export function createGmailConnector(deps: GoogleApiDeps, limits?: GoogleLimits): IntegrationConnector {
  return {
    integration: 'google-gmail',
    name: titleOfIntegration('google-gmail'),
    url: 'builtin://google-gmail',
    slug: 'gmail',
    async readAccount(userId) {
      const { openGmail } = await import('./gmail/client.ts')
      const { api } = await openGmail(deps, userId, AbortSignal.timeout(maxAccountReadMs), limits)
      const { data } = await api.getProfile({ userId: 'me' })
      return { account: data.emailAddress ?? null, time_zone: null }
    },
    initiallyAllowedTools: [
      'search_messages',
      'read_message',
      'read_thread',
      'list_labels',
      'list_drafts',
      'read_draft',
    ],
    server: {
      kind: 'in_process',
      async create(account) {
        const { createGmailServer } = await import('./gmail/server.ts')
        return createGmailServer(forVersion(deps, account.version), account, limits)
      },
    },
  }
}

/** Creates the connector of Google Calendar. The code of its server is loaded when it is first used. */
export function createCalendarConnector(deps: GoogleApiDeps, limits?: GoogleLimits): IntegrationConnector {
  return {
    integration: 'google-calendar',
    name: titleOfIntegration('google-calendar'),
    url: 'builtin://google-calendar',
    slug: 'calendar',
    async readAccount(userId) {
      const { readTimeZone, openCalendar } = await import('./calendar/client.ts')
      const client = await openCalendar(deps, userId, AbortSignal.timeout(maxAccountReadMs), limits)
      const [{ data }, timeZone] = await Promise.all([
        client.api.calendarList.get({ calendarId: 'primary' }),
        readTimeZone(client),
      ])
      // The id of the primary calendar is the e-mail address of its account.
      return { account: data.id ?? null, time_zone: timeZone }
    },
    initiallyAllowedTools: ['list_calendars', 'list_events', 'read_event', 'find_busy_times'],
    server: {
      kind: 'in_process',
      async create(account) {
        const { createCalendarServer } = await import('./calendar/server.ts')
        return createCalendarServer(forVersion(deps, account.version), account, limits)
      },
    },
  }
}

/** Returns dependencies with which requests get no token when the integration has another version. */
function forVersion(deps: GoogleApiDeps, version: number): GoogleApiDeps {
  const requireAccess: GoogleApiDeps['requireAccess'] = (userId, name, options) =>
    deps.requireAccess(userId, name, { ...options, version })
  return { ...deps, requireAccess }
}
