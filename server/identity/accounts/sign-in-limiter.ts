import type { FastifyInstance, FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'
import { limitSite } from '../../http/rate-limits.ts'
import { AppError } from '../../lib/app-error.ts'

/** Limits attempts to sign in. All forms that check or set a password share one limit. */
export type SignInLimiter = ReturnType<typeof createSignInLimiter>

export interface SignInLimiterOptions {
  /** Attempts per minute of one network. */
  readonly perMinute: number
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly wait: (milliseconds: number) => Promise<unknown>
}

const minuteMs = 60_000
/** Attempts at an account that do not wait. */
const freeAttempts = 5
const firstWaitMs = 500
const maxWaitMs = 8_000
/** Attempts are forgotten when the account had none for this time. */
const memoryMs = 15 * minuteMs
const maxAccounts = 50_000

interface Attempts {
  readonly count: number
  readonly lastAt: number
}

/**
 * Creates the limiter of this process. An account is slowed down and never locked, because anyone who knows its e-mail
 * could lock out its owner. Unknown e-mails are counted like known ones, so that a wait does not reveal an account.
 */
export function createSignInLimiter(app: FastifyInstance, { perMinute, now, wait }: SignInLimiterOptions) {
  const countAttempt = app.createRateLimit({ max: perMinute, timeWindow: minuteMs })
  const limitSiteAttempts = limitSite(app, perMinute)
  const attemptsOf = new LRUCache<string, Attempts>({ max: maxAccounts })

  /** Counts an attempt before its result is known, so that concurrent attempts wait too. */
  function addAttempt(email: string): number {
    const { count, lastAt } = attemptsOf.get(email) ?? { count: 0, lastAt: 0 }
    const recent = now() - lastAt < memoryMs ? count : 0
    attemptsOf.set(email, { count: recent + 1, lastAt: now() })
    return recent
  }

  return {
    /**
     * Counts one attempt of the network that sent the request, then runs `check`. When the attempt is at the password of
     * an account, `email` names it: after several attempts without success, each further one at this account waits
     * before `check` runs, for eight seconds at most. `check` resolves to undefined when the password is wrong.
     * @throws AppError `rate_limited` when the network or its site has no attempts left in this minute
     */
    async attempt<T>(reply: FastifyReply, email: string | null, check: () => Promise<T>): Promise<T> {
      await limitSiteAttempts(reply.request, reply)
      const limit = await countAttempt(reply.request)
      if (!limit.isAllowed && limit.isExceeded) {
        reply.header('retry-after', limit.ttlInSeconds)
        throw new AppError('rate_limited', 'Too many attempts. Wait a minute, then try again.')
      }
      if (email === null) return check()
      const waitMs = toWaitMs(addAttempt(email))
      if (waitMs > 0) await wait(waitMs)
      const result = await check()
      if (result !== undefined) attemptsOf.delete(email)
      return result
    },
  }
}

/** How long an attempt waits after this number of others, none of which has succeeded yet. */
function toWaitMs(attempts: number): number {
  return attempts < freeAttempts ? 0 : Math.min(firstWaitMs * 2 ** (attempts - freeAttempts), maxWaitMs)
}
