import { describeNetworkFailure } from '../http/outgoing/network-failure.ts'
import { findAppError } from '../lib/app-error.ts'

/** What became of an attempt to send a notice. `message` is a sentence for the user. */
export type Delivery =
  | { readonly outcome: 'sent'; readonly message: string }
  /** It may work later. */
  | { readonly outcome: 'retry'; readonly message: string; readonly retryAfterMs?: number }
  /** It would be refused again. */
  | { readonly outcome: 'refused'; readonly message: string }
  /** The target does not exist any more. */
  | { readonly outcome: 'gone'; readonly message: string }

/** Milliseconds for one request. */
const maxRequestMs = 10_000

/**
 * Sends a request and reads only the status of the response. Redirects are not followed.
 * @throws AppError `address_refused`; any error of the network
 */
export async function sendRequest(
  send: typeof globalThis.fetch,
  url: string,
  init: RequestInit,
): Promise<Pick<Response, 'status' | 'headers'>> {
  const response = await send(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(maxRequestMs) })
  await response.body?.cancel()
  return response
}

/** What an attempt without a response has come to. */
export function describeFailedAttempt(error: unknown, server: string): Delivery {
  const known = findAppError(error)
  // An address that the policy refuses, and a redirect.
  if (known !== undefined) return { outcome: 'refused', message: known.message }
  if (error instanceof Error && error.name === 'TimeoutError')
    return { outcome: 'retry', message: `${server} did not respond within ${maxRequestMs / 1_000} seconds.` }
  return { outcome: 'retry', message: describeNetworkFailure(error, server, false).message }
}

/** Whether a later attempt may get another status. */
export function isTemporary(status: number): boolean {
  return status === 429 || status === 408 || status >= 500
}

/** The milliseconds of the header `Retry-After`, in seconds or as a date; 0 without one. */
export function readRetryAfter(headers: Headers, now: number): number {
  const value = headers.get('retry-after') ?? ''
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000
  const date = Date.parse(value)
  return Number.isNaN(date) ? 0 : Math.max(0, date - now)
}
