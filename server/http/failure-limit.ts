import type { FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'
import { AppError } from '../lib/app-error.ts'
import { maxNetworksPerSite, networkOf, siteOf } from './rate-limits.ts'

const windowMs = 60_000
const maxPlaces = 50_000
/** Requests of a network that wait for the results of others. More are refused. */
const maxWaiting = 1_000

/** What one network, or one IPv6 site, has done in this minute. */
interface Place {
  /** Failures, and requests without a result. */
  count: number
  running: number
  since: number
  /** Lets the waiting requests look again. */
  waiting: (() => void)[]
}

export interface FailureLimitOptions {
  /** Failures per minute of one network. */
  readonly perMinute: number
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** What a refused user reads. */
  readonly refusal: string
}

/**
 * Creates a limit, in this process only, of the requests of a network that fail. A request without a result counts as a
 * failure, so that concurrent ones cannot exceed the limit; when only such requests have used it up, further ones wait
 * for the results instead of being refused.
 */
export function createFailureLimit({ perMinute, now, refusal }: FailureLimitOptions) {
  const places = new LRUCache<string, Place>({ max: maxPlaces })

  function find(key: string): Place {
    const place = places.get(key) ?? { count: 0, running: 0, since: now(), waiting: [] }
    places.set(key, place)
    return place
  }

  async function enter(place: Place, max: number, reply: FastifyReply): Promise<void> {
    for (;;) {
      if (now() - place.since >= windowMs) {
        place.count = place.running
        place.since = now()
      }
      if (place.count < max) break
      if (place.running === 0 || place.waiting.length >= maxWaiting) {
        reply.header('retry-after', Math.ceil((place.since + windowMs - now()) / 1_000))
        throw new AppError('rate_limited', refusal)
      }
      await new Promise<void>((resolve) => {
        place.waiting.push(resolve)
      })
    }
    place.count += 1
    place.running += 1
  }

  function leave(place: Place, hasFailed: boolean): void {
    place.running -= 1
    if (!hasFailed) place.count -= 1
    for (const lookAgain of place.waiting.splice(0)) lookAgain()
  }

  return {
    /**
     * Runs `work` for the network that sent the request. An error that it throws is no failure.
     * @throws AppError `rate_limited` when the network or its site has no failures left in this minute
     */
    async run<T>(reply: FastifyReply, work: () => Promise<T>, isFailure: (result: T) => boolean): Promise<T> {
      const site = find(`site ${siteOf(reply.request)}`)
      const network = find(networkOf(reply.request))
      let hasFailed = false
      await enter(site, perMinute * maxNetworksPerSite, reply)
      try {
        await enter(network, perMinute, reply)
        try {
          const result = await work()
          hasFailed = isFailure(result)
          return result
        } finally {
          leave(network, hasFailed)
        }
      } finally {
        leave(site, hasFailed)
      }
    },
  }
}
