import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from './app-error.ts'

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

/** Limits the writes of a scope, or whatever a route's own `config.perMinute` says, by `keyOf` (a person, an address). */
export function limitWrites(
  scope: FastifyInstance,
  perMinute: number,
  keyOf: (request: FastifyRequest) => string,
): void {
  scope.addHook('onRoute', (route) => {
    const own = route.config?.perMinute
    const methods = Array.isArray(route.method) ? route.method : [route.method]
    if (own === undefined && !methods.some((method) => writes.has(method))) return
    route.config = {
      ...route.config,
      rateLimit: {
        max: own ?? perMinute,
        timeWindow: minute,
        // After the guard, so that the person is known.
        hook: 'preHandler',
        // A route with its own limit counts alone; the others share one count.
        keyGenerator: (request: FastifyRequest) =>
          `${own === undefined ? 'writes' : route.url} ${keyOf(request)}`,
        ...(own === undefined ? { groupId: 'writes' } : {}),
      },
    }
  })
}
