import type { ConnectorAccount } from '@yonder/contract/connector'
import { titleOfIntegration, type GoogleIntegration } from '@yonder/contract/integration-names'
import type { GoogleApiDeps } from './google/api-client.ts'
import type { GoogleTool } from './google/google-tool.ts'
import type { IntegrationConnector } from './integration-connector.ts'

/** A short limit, because the card of a call that needs approval shows '…' until its account has been read. */
const maxAccountReadMs = 5_000

/** The code of a service, which is loaded when it is first used. */
interface GoogleService<Client> {
  readonly tools: readonly GoogleTool<Client>[]
  /** Opens the user's client until `signal` aborts. */
  readonly open: (deps: GoogleApiDeps, userId: string, signal: AbortSignal) => Promise<Client>
  readonly readAccount: (client: Client) => Promise<ConnectorAccount>
}

export function createGmailConnector(deps: GoogleApiDeps): IntegrationConnector {
  return createConnector(deps, 'google-gmail', 'gmail', () => import('./gmail/gmail.ts'))
}

export function createCalendarConnector(deps: GoogleApiDeps): IntegrationConnector {
  return createConnector(deps, 'google-calendar', 'calendar', () => import('./calendar/calendar.ts'))
}

function createConnector<Client>(
  deps: GoogleApiDeps,
  integration: GoogleIntegration,
  slug: string,
  load: () => Promise<GoogleService<Client>>,
): IntegrationConnector {
  const title = titleOfIntegration(integration)
  return {
    integration,
    name: title,
    url: `builtin://${integration}`,
    slug,
    allowsReading: true,
    async readAccount(userId) {
      const { open, readAccount } = await load()
      return readAccount(await open(deps, userId, AbortSignal.timeout(maxAccountReadMs)))
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
          (signal) => open({ ...deps, requireAccess }, account.userId, signal),
          (failure) => deps.recordFailure(account, integration, failure),
        )
      },
    },
  }
}
