import type { gmail_v1 } from '@googleapis/gmail'
import type { GoogleIntegration } from '@yonder/contract/integration-names'
import { withTimeout } from '../../lib/abort.ts'
import { AppError } from '../../lib/app-error.ts'
import { readCapped } from '../../lib/read-capped.ts'
import type { GoogleApiDeps } from './api-client.ts'
import { retryConfig, type GoogleLimits } from './retry.ts'

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
  deps: Pick<GoogleApiDeps, 'requireAccess' | 'fetch'>,
  caller: GoogleCaller,
  address: ApiAddress,
  limits: GoogleLimits,
): Omit<gmail_v1.Options, 'version' | 'auth'> {
  const { signal } = caller
  return {
    fetchImplementation: createGoogleFetch(deps, caller, address, limits),
    signal,
    responseType: 'json',
    retryConfig: retryConfig(limits, { isIdempotent: true, signal }),
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
  deps: Pick<GoogleApiDeps, 'requireAccess' | 'fetch'>,
  caller: GoogleCaller,
  address: ApiAddress,
  { maxResponseBytes, attemptTimeoutMs }: Pick<GoogleLimits, 'maxResponseBytes' | 'attemptTimeoutMs'>,
): typeof globalThis.fetch {
  const send = (url: URL, init: RequestInit, token: string, signal: AbortSignal): Promise<Response> => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${token}`)
    const { method = 'GET', body = null } = init
    return deps.fetch(url, { method, headers, body, signal })
  }
  const attempt = async (url: URL, init: RequestInit, signal: AbortSignal): Promise<Response> => {
    const options = { signal: caller.signal }
    const token = await deps.requireAccess(caller.userId, caller.integration, options)
    const response = await send(url, init, token, signal)
    if (response.status !== 401) return readResponse(response, maxResponseBytes)
    await response.body?.cancel()
    const refreshed = await deps.requireAccess(caller.userId, caller.integration, {
      ...options,
      rejectedToken: token,
    })
    return readResponse(await send(url, init, refreshed, signal), maxResponseBytes)
  }
  return async (input, init = {}) => {
    const url = replaceAddress(address, input instanceof Request ? input.url : String(input))
    return withTimeout(caller.signal, attemptTimeoutMs, (signal) => attempt(url, init, signal))
  }
}

function replaceAddress({ defaultUrl, configuredUrl }: ApiAddress, url: string): URL {
  if (!url.startsWith(`${defaultUrl}/`)) {
    throw new AppError('address_refused', 'A request to Google had an unexpected address and was not sent.')
  }
  return new URL(configuredUrl + url.slice(defaultUrl.length))
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
