import type { gmail_v1 } from '@googleapis/gmail'
import type { FindGoogleAccess } from '../oauth/google-access.ts'
import type { GoogleLimits } from './google-limits.ts'
import { retryGoogle } from './retry-google.ts'

/** What the Gmail and Google Calendar connectors need. */
export interface GoogleApiDeps {
  readonly findAccess: FindGoogleAccess
  /** The outgoing fetch for addresses from the settings; response bodies are capped. */
  readonly fetch: typeof globalThis.fetch
  /** Without a trailing slash. */
  readonly apiUrls: { readonly gmail: string; readonly calendar: string }
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Google's own client of one API, for one call of a tool by one person. */
export interface GoogleClient<Api> {
  readonly api: Api
  /** Options of a request that must not be made twice when nobody knows what became of the first. */
  readonly once: Pick<gmail_v1.Options, 'retryConfig'>
  readonly signal: AbortSignal
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** What Google's packages are told for every request; unless a request says otherwise it may be repeated. */
export function clientOptions(
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
  limits: GoogleLimits,
): Omit<gmail_v1.Options, 'version' | 'auth'> {
  return {
    fetchImplementation: fetch,
    signal,
    timeout: limits.attempt,
    responseType: 'json',
    retryConfig: retryGoogle(limits, true, signal),
    // Else the environment could name another one.
    universeDomain: 'googleapis.com',
  }
}
