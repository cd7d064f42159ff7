import type { GoogleIntegration } from '@yonder/contract/integration-names'
import type { IntegrationAccount } from '../integration-connector.ts'
import type { RequireGoogleAccess } from '../oauth/google-access.ts'

/** The dependencies of the Gmail and Google Calendar connectors. */
export interface GoogleApiDeps {
  readonly requireAccess: RequireGoogleAccess
  /** The outgoing fetch for addresses from the settings. */
  readonly fetch: typeof globalThis.fetch
  /** Stores why calls with this account fail; null when they work. Never rejects. */
  readonly recordFailure: (
    account: IntegrationAccount,
    name: GoogleIntegration,
    failure: string | null,
  ) => Promise<void>
  /** The addresses of the APIs, without a trailing slash. */
  readonly apiUrls: { readonly gmail: string; readonly calendar: string }
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Google's client library for one API, opened for one user: for a tool call, or to read the account. */
export interface GoogleApiClient<Api> {
  readonly api: Api
  readonly userId: string
  readonly signal: AbortSignal
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** How many requests one tool call may send at the same time. Google limits the requests of one user. */
export const maxConcurrentRequests = 6
