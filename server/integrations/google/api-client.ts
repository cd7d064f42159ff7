import type { gmail_v1 } from '@googleapis/gmail'
import type { GoogleIntegration } from '@yonder/contract/integration-names'
import { withTimeout } from '../../lib/abort.ts'
import { AppError } from '../../lib/app-error.ts'
import { readCapped } from '../../lib/read-capped.ts'
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
  readonly limits: GoogleLimits
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

interface GoogleCaller {
  readonly userId: string
  readonly integration: GoogleIntegration
  readonly signal: AbortSignal
}

interface ApiAddress {
  /** The address that Google's client library calls. */
  readonly defaultUrl: string
  /** The address from the settings. */
  readonly configuredUrl: string
}

/**
 * Returns the options of every request through Google's client libraries. The signal of the caller ends its requests and
 * their retries. Requests are considered idempotent, unless they have their own `retryConfig`.
 */
export function clientOptions(
  deps: GoogleApiDeps,
  caller: GoogleCaller,
  address: ApiAddress,
): Omit<gmail_v1.Options, 'version' | 'auth'> {
  const { signal } = caller
  return {
    fetchImplementation: createGoogleFetch(deps, caller, address),
    signal,
    responseType: 'json',
    retryConfig: retryConfig(deps.limits, { isIdempotent: true, signal }),
    // Without this option the library reads an environment variable.
    universeDomain: 'googleapis.com',
  }
}

/**
 * Creates the `fetch` of Google's client libraries. It sends requests to the configured address and adds the user's
 * access token. The libraries do not get the token, so their errors cannot contain it. When Google rejects the token
 * with 401, the token is refreshed and the request is sent once more. Rejects as `deps.fetch` and `requireAccess` do,
 * with a `TimeoutError`, or with an AppError: `address_refused` for an address outside the API, `output_limit` or
 * `upstream_invalid` for a response that is too large or not Google's.
 *
 * The time limit of an attempt applies here and not in the libraries, which would not retry after it.
 */
function createGoogleFetch(
  { requireAccess, fetch: send, limits }: GoogleApiDeps,
  { userId, integration, signal }: GoogleCaller,
  { defaultUrl, configuredUrl }: ApiAddress,
): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const requested = input instanceof Request ? input.url : String(input)
    if (!requested.startsWith(`${defaultUrl}/`)) {
      throw new AppError('address_refused', 'A request to Google had an unexpected address and was not sent.')
    }
    const url = new URL(configuredUrl + requested.slice(defaultUrl.length))
    const { method = 'GET', body = null } = init
    return withTimeout(signal, limits.attemptTimeoutMs, async (attemptSignal) => {
      const sendWith = (token: string): Promise<Response> => {
        const headers = new Headers(init.headers)
        headers.set('authorization', `Bearer ${token}`)
        return send(url, { method, headers, body, signal: attemptSignal })
      }
      const token = await requireAccess(userId, integration, { signal })
      const response = await sendWith(token)
      if (response.status !== 401) return readResponse(response, limits.maxResponseBytes)
      await response.body?.cancel()
      const refreshed = await requireAccess(userId, integration, { signal, rejectedToken: token })
      return readResponse(await sendWith(refreshed), limits.maxResponseBytes)
    })
  }
}

/** Reads the body here, because Google's client libraries do not limit its size. */
async function readResponse(response: Response, maxBytes: number): Promise<Response> {
  const text = await readCapped(response, maxBytes)
  const { status, headers } = response
  const isJson = headers.get('content-type')?.includes('json') === true
  if (response.ok && text !== '' && !isJson) {
    // For example the sign-in page of a public network, which must not be taken for an empty mailbox.
    throw new AppError('upstream_invalid', 'The response did not come from Google. Try again later.')
  }
  return new Response(text === '' ? null : text, { status, headers })
}
