import { setTimeout } from 'node:timers/promises'
import type { gmail_v1 } from '@googleapis/gmail'
import { findAppError, reasonOf, retryAfterOf, statusOf } from './google-error.ts'
import type { GoogleLimits } from './google-limits.ts'

type RetryConfig = NonNullable<gmail_v1.Options['retryConfig']>
type Failure = Parameters<NonNullable<RetryConfig['shouldRetry']>>[0]

/** Whether Google did not even begin, because there were too many requests. */
export function isRateLimit(error: unknown): boolean {
  const status = statusOf(error)
  const reason = reasonOf(error) ?? ''
  return status === 429 || (status === 403 && /^(userRateLimit|rateLimit|quota)Exceeded$/.test(reason))
}

/**
 * When a request is made again: after a failure in passing, a few times, and not for long. `repeatable` requests come to
 * the same when made twice; the others are made again only when Google has said that it did nothing.
 */
export function retryGoogle(limits: GoogleLimits, repeatable: boolean, signal: AbortSignal): RetryConfig {
  return {
    retry: limits.retries,
    // The signal of a failed request may be that of its time alone.
    shouldRetry: (error) => !signal.aborted && shouldRetry(error, limits, repeatable),
    retryBackoff: async (error) => {
      await setTimeout(waitBefore(error, limits), undefined, { signal })
    },
  }
}

function shouldRetry(error: Failure, limits: GoogleLimits, repeatable: boolean): boolean {
  const { currentRetryAttempt = 0, timeOfFirstRequest = Date.now() } = error.config.retryConfig ?? {}
  if (currentRetryAttempt >= limits.retries || findAppError(error) !== undefined) return false
  if ((retryAfterOf(error) ?? 0) > limits.longestDelay) return false
  if (Date.now() + waitBefore(error, limits) > timeOfFirstRequest + limits.retryWithin) return false
  return isRateLimit(error) || (repeatable && isPassing(error))
}

function isPassing(error: Failure): boolean {
  const status = statusOf(error)
  return status === undefined || status === 408 || status >= 500
}

function waitBefore(error: Failure, { retryDelay, longestDelay }: GoogleLimits): number {
  const attempt = error.config.retryConfig?.currentRetryAttempt ?? 0
  // Spread, so that many who were refused together do not come back together.
  const wait = retryDelay * 2 ** attempt * (0.75 + Math.random() / 2)
  return Math.min(Math.max(wait, retryAfterOf(error) ?? 0), longestDelay)
}
