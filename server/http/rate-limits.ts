import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../lib/app-error.ts'

const minute = 60_000
const writes = new Set(['POST', 'PUT', 'DELETE', 'PATCH'])

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Requests per minute of one user, when the route has a limit of its own. */
    readonly perMinute?: number
  }
}

/** Counts requests of each user or address, in this process only. */
export async function registerRateLimits(app: FastifyInstance): Promise<void> {
  await app.register(rateLimit, {
    global: false,
    cache: 50_000,
    errorResponseBuilder: (_request, { after }) =>
      new AppError('rate_limited', `Too many requests. Try again in ${after}.`),
  })
}

/**
 * Limits the writes to all routes of a scope together to `perMinute` for each key: a user or an address (§16.11). A route
 * with its own limit (`config.perMinute`) is counted separately. Must be called after authentication, which sets the
 * user.
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
