import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../lib/app-error.ts'
import { networkOfAddress } from './client-address.ts'

const minuteMs = 60_000
const writeMethods = new Set(['POST', 'PUT', 'DELETE', 'PATCH'])

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Requests per minute of one user or network, when the route has a limit of its own. */
    readonly perMinute?: number
    /** Counts a GET that changes something as a write. */
    readonly isWrite?: boolean
  }
}

/** Registers the plugin that counts requests, in this process only. It limits no request by itself. */
export async function registerRateLimits(app: FastifyInstance): Promise<void> {
  await app.register(rateLimit, {
    global: false,
    // Users or networks that each limit counts.
    cache: 50_000,
    keyGenerator: networkOf,
    errorResponseBuilder: (_request, { after }) =>
      new AppError('rate_limited', `Too many requests. Try again in ${after}.`),
  })
}

/** Requests per minute, counted over all routes of a scope. */
export interface RequestLimits {
  readonly reads: number
  readonly writes: number
}

/**
 * The network that sent a request, for limits without a user: the IPv4 address, or the first 64 bits of the IPv6
 * address, which belong to one customer of a provider.
 */
export function networkOf({ client }: Pick<FastifyRequest, 'client'>): string {
  return networkOfAddress(client.address, 64)
}

/** Bits of an IPv6 prefix that some providers assign to one customer, who then has 65,536 networks of 64 bits. */
const siteBits = 48
/** How many networks of a site can use up their limits in the same minute. */
export const maxNetworksPerSite = 8

/** The IPv4 address, or the IPv6 prefix that one customer may have. */
export function siteOf({ client }: Pick<FastifyRequest, 'client'>): string {
  return networkOfAddress(client.address, siteBits)
}

/**
 * Returns a hook that limits the requests of an IPv6 site, for routes whose limit counts networks. Without it, the
 * owner of one site would have the limit 65,536 times.
 */
export function limitSite(app: FastifyInstance, perMinute: number) {
  const count = app.createRateLimit({
    max: perMinute * maxNetworksPerSite,
    timeWindow: minuteMs,
    keyGenerator: siteOf,
  })
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const limit = await count(request)
    if (limit.isAllowed || !limit.isExceeded) return
    reply.header('retry-after', limit.ttlInSeconds)
    throw new AppError('rate_limited', 'Too many requests. Wait a minute, then try again.')
  }
}

/** Allows each network a number of reads and as many writes per minute, counted over all routes of a public scope. */
export function limitNetworks(scope: FastifyInstance, perMinute: number): void {
  scope.addHook('onRequest', limitSite(scope, perMinute))
  limitRequests(scope, { reads: perMinute, writes: perMinute }, networkOf)
}

/**
 * Allows each key (a user or a network) a number of reads and of writes per minute, each counted over all routes of a
 * scope. A route with its own limit (`config.perMinute`) is counted separately. Must be called before the
 * routes are registered. The hooks of the scope run first, so a key may be the user that authentication has set. A
 * request beyond a limit is refused before its body is read, because parsing it would cost as much as many allowed
 * requests.
 */
export function limitRequests(
  scope: FastifyInstance,
  limits: RequestLimits,
  keyOf: (request: FastifyRequest) => string,
): void {
  const limit = (max: number) => scope.rateLimit({ max, timeWindow: minuteMs, keyGenerator: keyOf })
  const limitReads = limit(limits.reads)
  const limitWrites = limit(limits.writes)
  scope.addHook('onRoute', (route) => {
    const { perMinute, isWrite = false } = route.config ?? {}
    const methods = [route.method].flat()
    const limitShared =
      isWrite || methods.some((method) => writeMethods.has(method)) ? limitWrites : limitReads
    const others = route.onRequest === undefined ? [] : [route.onRequest].flat()
    route.onRequest = [perMinute === undefined ? limitShared : limit(perMinute), ...others]
  })
}
