import type { gmail_v1 } from '@googleapis/gmail'
import type { FindGoogleAccess } from '../oauth/google-access.ts'
import { retryConfig } from './retry.ts'
import type { GoogleLimits } from './retry.ts'

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

/** Google's own client of one API, for one tool call of one user. */
export interface GoogleApiClient<Api> {
  readonly api: Api
  /** Options of a request that must not take effect twice. It is retried only when Google has rejected it. */
  readonly nonIdempotent: Pick<gmail_v1.Options, 'retryConfig'>
  readonly signal: AbortSignal
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Requests that one tool call runs at the same time. Google rejects bursts. */
export const concurrency = 6

/**
 * The options of every request through Google's packages. Requests are repeatable unless they say otherwise (§11.19).
 */
export function clientOptions(
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
  limits: GoogleLimits,
): Omit<gmail_v1.Options, 'version' | 'auth'> {
  return {
    fetchImplementation: fetch,
    signal,
    timeout: limits.attemptTimeoutMs,
    responseType: 'json',
    retryConfig: retryConfig(limits, { isIdempotent: true, signal }),
    // The package would otherwise read it from an environment variable.
    universeDomain: 'googleapis.com',
  }
}
