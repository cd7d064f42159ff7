import type { ConnectorAccount } from '@yonder/contract/connector'
import { titleOfIntegration, type GoogleIntegration } from '@yonder/contract/integration-names'
import type { GoogleApiDeps } from './google/api-client.ts'
import type { GoogleTool } from './google/google-tool.ts'
import { googleLimits, type GoogleLimits } from './google/retry.ts'
import type { IntegrationConnector } from './integration-connector.ts'

/** A short limit, because the card of a call that needs approval shows '…' until its account has been read. */
const maxAccountReadMs = 5_000

interface GoogleService<Client> {
  readonly integration: GoogleIntegration
  readonly slug: string
  readonly initiallyAllowedTools: readonly string[]
  /** Loads the code of the service when it is first used. */
  readonly load: () => Promise<{
    readonly tools: readonly GoogleTool<Client>[]
    /** Opens the user's client until `signal` aborts. */
    readonly open: (
      deps: GoogleApiDeps,
      userId: string,
      signal: AbortSignal,
      limits: GoogleLimits,
    ) => Promise<Client>
    readonly readAccount: (client: Client) => Promise<ConnectorAccount>
  }>
}

/** Creates the connector of Gmail. */
export function createGmailConnector(deps: GoogleApiDeps, limits?: GoogleLimits): IntegrationConnector {
  return createConnector(deps, limits, {
    integration: 'google-gmail',
    slug: 'gmail',
    initiallyAllowedTools: [
      'search_messages',
      'read_message',
      'read_thread',
      'list_labels',
      'list_drafts',
      'read_draft',
    ],
    async load() {
      const { gmailTools, openGmail } = await import('./gmail/gmail.ts')
      return {
        tools: gmailTools,
        open: openGmail,
        async readAccount({ api }) {
          const { data } = await api.getProfile({ userId: 'me' })
          return { account: data.emailAddress ?? null, time_zone: null }
        },
      }
    },
  })
}

/** Creates the connector of Google Calendar. */
export function createCalendarConnector(deps: GoogleApiDeps, limits?: GoogleLimits): IntegrationConnector {
  return createConnector(deps, limits, {
    integration: 'google-calendar',
    slug: 'calendar',
    initiallyAllowedTools: ['list_calendars', 'list_events', 'read_event', 'find_busy_times'],
    async load() {
      const { calendarTools, openCalendar, readTimeZone } = await import('./calendar/calendar.ts')
      return {
        tools: calendarTools,
        open: openCalendar,
        async readAccount(client) {
          const [{ data }, timeZone] = await Promise.all([
            client.api.calendarList.get({ calendarId: 'primary' }),
            readTimeZone(client),
          ])
          // The id of the primary calendar is the e-mail address of its account.
          return { account: data.id ?? null, time_zone: timeZone }
        },
      }
    },
  })
}

function createConnector<Client>(
  deps: GoogleApiDeps,
  limits: GoogleLimits = googleLimits,
  { integration, slug, initiallyAllowedTools, load }: GoogleService<Client>,
): IntegrationConnector {
  const title = titleOfIntegration(integration)
  return {
    integration,
    name: title,
    url: `builtin://${integration}`,
    slug,
    initiallyAllowedTools,
    async readAccount(userId) {
      const { open, readAccount } = await load()
      return readAccount(await open(deps, userId, AbortSignal.timeout(maxAccountReadMs), limits))
    },
    server: {
      kind: 'in_process',
      async create(account) {
        const { tools, open } = await load()
        const { createGoogleServer } = await import('./google/google-tool.ts')
        // Requests get no token when the integration has another version.
        const requireAccess: GoogleApiDeps['requireAccess'] = (userId, name, options) =>
          deps.requireAccess(userId, name, { ...options, version: account.version })
        return createGoogleServer(
          { name: `yonder-${slug}`, title },
          tools,
          (signal) => open({ ...deps, requireAccess }, account.userId, signal, limits),
          (failure) => deps.recordFailure(account, integration, failure),
        )
      },
    },
  }
}
