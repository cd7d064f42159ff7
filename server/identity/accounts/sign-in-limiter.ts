import type { FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'
import { createFailureLimit } from '../../http/failure-limit.ts'

/** Limits attempts to sign in. All forms that check or set a password share one limit. */
export type SignInLimiter = ReturnType<typeof createSignInLimiter>

export interface SignInLimiterOptions {
  /** Failed attempts per minute of one network. */
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
/** How many accounts a network may create for each failed attempt that it has. Many users may share an address. */
const accountsPerFailure = 10

interface Attempts {
  readonly count: number
  readonly lastAt: number
}

/**
 * Creates the limiter of this process. A network is limited by its failures only, because the users of an office share
 * one address. An account is slowed down and never locked, because anyone who knows its e-mail could lock out its owner.
 * Unknown e-mails are counted like known ones, so that a wait does not reveal an account.
 */
export function createSignInLimiter({ perMinute, now, wait }: SignInLimiterOptions) {
  const refusal = 'Too many attempts. Wait a minute, then try again.'
  const failures = createFailureLimit({ perMinute, now, refusal })
  const created = createFailureLimit({ perMinute: perMinute * accountsPerFailure, now, refusal })
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
     * Runs `check`, which resolves to undefined when the password is wrong. While as many attempts of the network run as
     * may fail in a minute, further ones wait for the results. `email` names the account whose password is checked: after
     * several attempts without success, each further one at this account waits before `check` runs, for eight seconds at
     * most.
     * @throws AppError `rate_limited` when the network or its site has no failures left in this minute
     */
    attempt: <T>(reply: FastifyReply, email: string | null, check: () => Promise<T>): Promise<T> =>
      failures.run(
        reply,
        async () => {
          if (email === null) return check()
          const waitMs = toWaitMs(addAttempt(email))
          if (waitMs > 0) await wait(waitMs)
          const result = await check()
          if (result !== undefined) attemptsOf.delete(email)
          return result
        },
        (result) => result === undefined,
      ),
    /**
     * Runs `create`, which stores an account or returns an error. Only errors count as failures, but a network may not
     * create any number of accounts.
     * @throws AppError `rate_limited`
     */
    create: <T extends { readonly error?: string }>(
      reply: FastifyReply,
      create: () => Promise<T>,
    ): Promise<T> =>
      failures.run(
        reply,
        () => created.run(reply, create, () => true),
        ({ error }) => error !== undefined,
      ),
  }
}

/** How long an attempt waits after this number of others, none of which has succeeded yet. */
function toWaitMs(attempts: number): number {
  return attempts < freeAttempts ? 0 : Math.min(firstWaitMs * 2 ** (attempts - freeAttempts), maxWaitMs)
}
