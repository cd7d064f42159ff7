import type { gmail_v1 } from '@googleapis/gmail'
import type { GoogleIntegration } from '@yonder/contract/integration-names'
import type { IntegrationAccount } from '../integration-connector.ts'
import type { RequireGoogleAccess } from '../oauth/google-access.ts'
import { retryConfig, type GoogleLimits } from './retry.ts'

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

/**
 * The options of every request through Google's client libraries. `signal` ends the requests of a call and their
 * retries. Requests are considered idempotent, unless they have their own `retryConfig`.
 */
export function clientOptions(
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
  limits: GoogleLimits,
): Omit<gmail_v1.Options, 'version' | 'auth'> {
  return {
    fetchImplementation: fetch,
    signal,
    responseType: 'json',
    retryConfig: retryConfig(limits, { isIdempotent: true, signal }),
    // Without this option the library reads an environment variable.
    universeDomain: 'googleapis.com',
  }
}
