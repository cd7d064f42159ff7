import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../lib/app-error.ts'

const minute = 60_000
const writes = new Set(['POST', 'PUT', 'DELETE', 'PATCH'])

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Requests a minute of one person, when it is not the limit of other writes. */
    readonly perMinute?: number
  }
}

/** Counts of this process; a limit speaks of one person or one address. */
export async function registerRateLimits(app: FastifyInstance): Promise<void> {
  await app.register(rateLimit, {
    global: false,
    cache: 50_000,
    errorResponseBuilder: (_request, { after }) =>
      new AppError('rate_limited', `Too many requests. Try again in ${after}.`),
  })
}

/**
 * Holds each `keyOf` (a person, an address) of a scope to so many writes a minute in all; a route with a limit of its
 * own (`config.perMinute`) counts alone. Comes after the guard, so that the person is known.
 */
export function limitWrites(
  scope: FastifyInstance,
  perMinute: number,
  keyOf: (request: FastifyRequest) => string,
): void {
  const limit = (max: number) => scope.rateLimit({ max, timeWindow: minute, keyGenerator: keyOf })
  const limitShared = limit(perMinute)
  scope.addHook('onRoute', (route) => {
    const own = route.config?.perMinute
    const methods = Array.isArray(route.method) ? route.method : [route.method]
    if (own === undefined && !methods.some((method) => writes.has(method))) return
    const others = route.preHandler === undefined ? [] : [route.preHandler].flat()
    route.preHandler = [own === undefined ? limitShared : limit(own), ...others]
  })
}
