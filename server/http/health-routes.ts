import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Counter, Gauge, type Registry } from 'prom-client'
import { AppError } from '../lib/app-error.ts'
import { isSameSecret } from '../lib/secret.ts'
import { unpublished } from './api.ts'
import { onDisconnect } from './create-server.ts'

export interface HealthDeps {
  readonly metrics: Registry
  /** Rejects with an `AppError` that gives the reason when the product cannot work, or is about to end. */
  readonly checkReady: () => Promise<void>
  readonly countActiveRuns: () => number
  readonly countLiveStreams: () => number
}

export interface HealthOptions {
  /** The bearer token that requests for `/metrics` need. Null allows requests without one, from this machine only. */
  readonly metricsToken: string | null
}

/** `/healthz` (the process responds), `/readyz` (it can work), `/metrics` (Prometheus text). */
export function registerHealthRoutes(
  app: FastifyInstance,
  { metrics: registry, checkReady, countActiveRuns, countLiveStreams }: HealthDeps,
  { metricsToken }: HealthOptions,
): void {
  const responses = new Counter({
    name: 'yonder_http_answers_total',
    help: 'Responses by status, "left" when the client disconnected before the end.',
    labelNames: ['status'],
    registers: [registry],
  })
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  gauge('yonder_active_runs', 'Replies being written by this process.', countActiveRuns)
  gauge('yonder_live_streams', 'Live streams that browsers have open to this process.', countLiveStreams)
  app.addHook('onResponse', async (_request, reply) => {
    responses.inc({ status: reply.statusCode })
  })
  onDisconnect(app, () => responses.inc({ status: 'left' }))
  app.get('/healthz', { schema: unpublished, exposeHeadRoute: true }, () => ({ status: 'ok' }))
  app.get('/readyz', { schema: unpublished, exposeHeadRoute: true }, async () => {
    await checkReady()
    return { status: 'ready' }
  })
  app.get('/metrics', { schema: unpublished }, async (request, reply) => {
    if (!mayReadMetrics(request, metricsToken))
      throw new AppError('not_found', 'This address does not exist. Check its path.')
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}

function mayReadMetrics(request: FastifyRequest, token: string | null): boolean {
  return token === null
    ? isFromThisMachine(request)
    : isSameSecret(request.headers.authorization, `Bearer ${token}`)
}

/** Headers that proxies add, besides those that begin with `x-forwarded` or `cf-`. */
const proxyHeaders = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-original-host',
  'true-client-ip',
])
const loopbackHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i

/**
 * Whether a program on this machine sent the request directly. A proxy on this machine also forwards requests from
 * other machines. Such a request has a header that the proxy added, or the public name in its Host header, which a
 * proxy must pass on (`host-check.ts`).
 */
function isFromThisMachine({ client, headers }: FastifyRequest): boolean {
  const isProxied = Object.keys(headers).some(
    (name) => name.startsWith('x-forwarded') || name.startsWith('cf-') || proxyHeaders.has(name),
  )
  if (isProxied || !loopbackHost.test(headers.host ?? '')) return false
  return ['127.0.0.1', '::1'].includes(client.peer)
}
