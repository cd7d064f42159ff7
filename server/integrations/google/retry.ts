import { setTimeout } from 'node:timers/promises'
import type { gmail_v1 } from '@googleapis/gmail'
import { findAppError } from '../../lib/app-error.ts'
import { isRateLimit, retryAfterOf, statusOf, type RetryState } from './errors.ts'

/** The limits of one request to Google. */
export const googleLimits = {
  /** Attempts after the first one. */
  maxRetries: 3,
  /** The delay before the first retry. It doubles with each further retry, and varies by up to a quarter. */
  retryDelayMs: 500,
  /** The longest delay before a retry. When Google's Retry-After header is longer, the request fails. */
  maxRetryDelayMs: 8_000,
  attemptTimeoutMs: 10_000,
  /** The longest time from the failure of the first attempt to the start of the last one. */
  maxRetryMs: 12_000,
  maxResponseBytes: 16 * 1_024 * 1_024,
}
export type GoogleLimits = Readonly<typeof googleLimits>

/** Delays vary by up to this fraction, so that requests that failed together are not retried together. */
const maxVariation = 0.25

type RetryConfig = NonNullable<gmail_v1.Options['retryConfig']>
type Failure = Parameters<NonNullable<RetryConfig['shouldRetry']>>[0]

/**
 * Returns the options for retries after temporary failures. A request that is not idempotent is retried only after a
 * rate limit, because after any other failure Google may have executed it.
 */
export function retryConfig(
  limits: GoogleLimits,
  { isIdempotent, signal }: { readonly isIdempotent: boolean; readonly signal: AbortSignal },
): RetryConfig {
  return {
    retry: limits.maxRetries,
    // Gaxios leaves it to this function to check the signal of the call.
    shouldRetry: (error) => !signal.aborted && shouldRetry(error, limits, isIdempotent),
    retryBackoff: async (error) => {
      // Gaxios has already counted the retry that is about to start.
      const retries = (error.config.retryConfig?.currentRetryAttempt ?? 1) - 1
      const variation = maxVariation * (2 * Math.random() - 1)
      await setTimeout(retryDelayOf(error, retries, variation, limits), undefined, { signal })
    },
  }
}

function shouldRetry(error: Failure, limits: GoogleLimits, isIdempotent: boolean): boolean {
  // Gaxios sets `timeOfFirstRequest` when the first attempt has failed.
  const { currentRetryAttempt: retries = 0, timeOfFirstRequest = Date.now() } = error.config.retryConfig ?? {}
  if (retries >= limits.maxRetries || findAppError(error) !== undefined) return false
  if ((retryAfterOf(error) ?? 0) > limits.maxRetryDelayMs) return false
  const maxDelayMs = retryDelayOf(error, retries, maxVariation, limits)
  if (Date.now() + maxDelayMs > timeOfFirstRequest + limits.maxRetryMs) return false
  if (isRateLimit(error)) return true
  if (!isIdempotent || !isTemporary(error)) return false
  const state = error.config.retryConfig as RetryState | undefined
  if (state !== undefined) state.mayHaveSucceeded = true
  return true
}

function isTemporary(error: Failure): boolean {
  const status = statusOf(error)
  return status === undefined || status === 408 || status >= 500
}

/** The delay in milliseconds before the retry that follows `retries` earlier ones. */
function retryDelayOf(
  error: Failure,
  retries: number,
  variation: number,
  { retryDelayMs, maxRetryDelayMs }: GoogleLimits,
): number {
  const delay = retryDelayMs * 2 ** retries * (1 + variation)
  return Math.min(Math.max(delay, retryAfterOf(error) ?? 0), maxRetryDelayMs)
}
