import { randomUUID } from 'node:crypto'
import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { jsonSchemaTransform, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { describeError } from '../lib/describe-error.ts'
import { registerClosing } from './closing.ts'
import { createErrorHandler } from './error-handler.ts'
import { registerHostCheck } from './host-check.ts'
import { registerJsonBody } from './json-body.ts'
import { registerRateLimits } from './rate-limits.ts'
import { refuseBrokenRequest } from './refuse-broken-request.ts'
import { logDisconnect, onDisconnect, RequestLog } from './request-log.ts'
import { registerSecurityHeaders } from './security-headers.ts'

export interface ServerOptions {
  /** The origin that users open. */
  readonly publicUrl: string
  readonly logLevel: string
  /** Addresses or networks whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[]
  /** Origins that the web app may connect to besides its own; the same list until it changes. */
  readonly connectOrigins: () => readonly string[]
  readonly isStorageFull: (error: unknown) => boolean
}

/** The server without routes: logging, errors, limits, headers, body parsing and the OpenAPI document. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { publicUrl, trustedProxies } = options
  const handleError = createErrorHandler(options.isStorageFull)
  const app = Fastify({
    bodyLimit: 1_048_576,
    // Milliseconds until a request must have arrived completely; without it a body may trickle in forever.
    requestTimeout: 60_000,
    logger: {
      level: options.logLevel,
      redact: ['req.headers', 'res.headers'],
      serializers: { err: (error) => describeError(error) },
    },
    logController: new RequestLog(),
    genReqId: () => randomUUID(),
    forceCloseConnections: true,
    // `registerClosing` refuses late requests with our own error.
    return503OnClosing: false,
    // A HEAD request would do what its GET does: reserve a chat, hold a stream.
    exposeHeadRoutes: false,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    routerOptions: { maxParamLength: 1_000 },
    // For requests that are refused before any route is found.
    frameworkErrors: handleError,
    clientErrorHandler: refuseBrokenRequest,
  })
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(handleError)
  registerClosing(app)
  onDisconnect(app, logDisconnect)
  registerHostCheck(app, publicUrl)
  registerJsonBody(app)
  registerSecurityHeaders(app, {
    connectOrigins: options.connectOrigins,
    https: publicUrl.startsWith('https:'),
  })
  await registerRateLimits(app)
  await registerOpenApi(app, publicUrl)
  return app
}

/** Publishes the schemas of all routes at `/api/openapi.json`. Must be registered before any route. */
async function registerOpenApi(app: FastifyInstance, publicUrl: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Yonder', version: '1', description: 'The calls that the web app makes.' },
      servers: [{ url: publicUrl }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
      security: [{ bearer: [] }],
    },
    transform: jsonSchemaTransform,
  })
  app.get('/api/openapi.json', { schema: { hide: true } }, () => app.swagger())
}
