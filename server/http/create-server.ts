import { randomUUID } from 'node:crypto'
import Fastify, { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { describeError } from '../lib/describe-error.ts'
import { countDescriptors, readDescriptorLimit } from '../lib/descriptors.ts'
import { findExhausted } from '../lib/exhausted.ts'
import { fitLine } from '../lib/fit-line.ts'
import { unpublished } from './api.ts'
import { registerClientAddresses } from './client-address.ts'
import { createErrorHandler, refuseBrokenRequest, type ToStorageError } from './error-handler.ts'
import { registerHostCheck } from './host-check.ts'
import { registerJsonBody } from './json-body.ts'
import { registerOpenApi } from './open-api.ts'
import { registerRateLimits } from './rate-limits.ts'
import { registerSecurityHeaders } from './security-headers.ts'
import { sendInPieces, serializerCompiler } from './send-pieces.ts'
import { Shutdown } from './shutdown.ts'
import { limitBodyTime, maxSlowBodyMs } from './slow-body.ts'
import type { TlsServers } from './tls-server.ts'
import { validatorCompiler } from './validate-input.ts'

export interface ServerDeps {
  /** Returns the origins that the web app may connect to besides its own: the same array until they change. */
  readonly connectOrigins: () => readonly string[]
  readonly toStorageError: ToStorageError
  /** Null when this process does not serve TLS. */
  readonly tls: ServerTls | null
}

/** How the server speaks https itself. */
export interface ServerTls {
  readonly servers: TlsServers
  /** The certificate, as PEM, of the authority that Yonder made; null for a certificate of the operator. */
  readonly authority: string | null
  /** The names and addresses in a certificate that Yonder made, as in a `Host` header without port; else empty. */
  readonly hosts: () => readonly string[]
}

export interface ServerOptions {
  /** The origin that users open. */
  readonly publicUrl: string
  /** Whether `Strict-Transport-Security` includes all subdomains. */
  readonly hstsSubdomains: boolean
  readonly logLevel: string
  /** Addresses or networks whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[]
}

/**
 * The server without the routes of the product: logging, errors, limits, headers, body parsing and the OpenAPI
 * document.
 */
export async function createServer(
  deps: ServerDeps,
  options: ServerOptions,
): Promise<{ readonly app: FastifyInstance; readonly shutdown: Shutdown }> {
  const { publicUrl, trustedProxies } = options
  const { tls } = deps
  const handleError = createErrorHandler(deps.toStorageError)
  const app = Fastify({
    bodyLimit: 1_048_576,
    // Milliseconds until a request must be complete. `limitBodyTime` has a shorter limit for most.
    requestTimeout: maxSlowBodyMs,
    // Milliseconds until the routes must be registered. Fastify's ten seconds are too few for a slow or busy machine.
    pluginTimeout: 60_000,
    logger: {
      level: options.logLevel,
      redact: ['req.headers', 'res.headers'],
      serializers: { err: (error) => describeError(error) },
      hooks: { streamWrite: fitLine },
    },
    logController: new RequestLog(),
    genReqId: () => randomUUID(),
    forceCloseConnections: true,
    // `Shutdown` refuses requests while the server closes, with an `AppError`.
    return503OnClosing: false,
    // A HEAD request would have the effects of its GET: it would reserve a chat or open a stream.
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 1_000 },
    // For requests that are refused before any route is found.
    frameworkErrors: handleError,
    clientErrorHandler: refuseBrokenRequest,
    ...(tls === null ? {} : { serverFactory: tls.servers.create }),
  })
  // Emitted, for example, when no file descriptor is free for a connection. `listen` throws earlier errors.
  app.server.on('error', (error) => {
    if (app.server.listening)
      app.log.error({ err: error }, findExhausted(error)?.operator ?? 'the HTTP server failed')
  })
  const descriptors = readDescriptorLimit()
  if (descriptors !== null) limitConnections(app, descriptors, countDescriptors)
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(handleError)
  app.addHook('onSend', sendInPieces)
  registerClientAddresses(app, trustedProxies)
  const shutdown = new Shutdown(app)
  onDisconnect(app, logDisconnect)
  registerHostCheck(app, { publicUrl, servesTls: tls !== null, otherHosts: tls?.hosts ?? (() => []) })
  limitBodyTime(app)
  registerJsonBody(app)
  registerSecurityHeaders(app, {
    connectOrigins: deps.connectOrigins,
    // Browsers give no way around a certificate that they do not trust once they have seen HSTS.
    usesHsts: publicUrl.startsWith('https:') && (tls === null || tls.authority === null),
    hstsSubdomains: options.hstsSubdomains,
  })
  await registerRateLimits(app)
  if (tls !== null && tls.authority !== null) registerAuthority(app, tls.authority)
  await registerOpenApi(app, publicUrl)
  return { app, shutdown }
}

/** The share of the free file descriptors that clients may use. The others are for the database, models and files. */
const clientShare = 0.8
/** Milliseconds between two lines of the log about refused connections. */
const refusedLogMs = 60_000

/**
 * Refuses connections before the process has no free file descriptor: the system would close each new one without
 * anyone knowing, and requests to the database and to models would fail.
 */
export function limitConnections(app: FastifyInstance, descriptors: number, countUsed: () => number): void {
  const { server } = app
  app.addHook('onListen', async () => {
    server.maxConnections = Math.max(1, Math.floor((descriptors - countUsed()) * clientShare))
  })
  let loggedAt = -Infinity
  server.on('drop', () => {
    if (performance.now() - loggedAt < refusedLogMs) return
    loggedAt = performance.now()
    app.log.error(
      `Connections are refused, because ${server.maxConnections.toLocaleString('en')} are open. This process may open ${descriptors.toLocaleString('en')} files and connections: raise LimitNOFILE= of systemd, ulimits of a container, or ulimit -n.`,
    )
  })
}

/** Offers the certificate of the authority to devices that do not trust it yet. */
function registerAuthority(app: FastifyInstance, authority: string): void {
  app.get('/ca.crt', { schema: unpublished }, (_request, reply) =>
    reply
      .type('application/x-x509-ca-cert')
      .headers({ 'content-disposition': 'attachment; filename="yonder-ca.crt"', 'cache-control': 'no-store' })
      .send(authority),
  )
}

/**
 * Logs one line per request, when its response has ended. The path has no query, which may hold a sign-in code or a
 * search term.
 */
export class RequestLog extends LogController {
  override incomingRequest(): void {
    // `requestCompleted` logs the request.
  }

  override requestCompleted(error: Error | null, request: FastifyRequest, reply: FastifyReply): void {
    const line = describeResponse(request, reply)
    if (error === null || error === undefined) request.log.info(line, 'request')
    else request.log.error({ ...line, err: error }, 'request')
  }
}

/** Logs the line of a request whose client disconnected before the response ended, as clients of streams do. */
export function logDisconnect(request: FastifyRequest, reply: FastifyReply): void {
  request.log.info({ ...describeResponse(request, reply), left: true }, 'request')
}

/**
 * Calls `listener` when a client disconnects before its response ends. Fastify's `onRequestAbort` does not report every
 * such disconnect.
 */
export function onDisconnect(
  app: FastifyInstance,
  listener: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  app.addHook('onRequest', async (request, reply) => {
    const { raw } = reply
    raw.once('close', () => {
      if (!raw.writableFinished && !raw.errored) listener(request, reply)
    })
  })
}

/**
 * The path without its query, and without the id of a shared chat, because everyone who knows the id can read the chat.
 */
function describePath(url: string): string {
  const path = url.split('?')[0] ?? ''
  return path.replace(/^(\/+(?:api\/+)?share\/+)[^/]+/i, '$1[id]')
}

function describeResponse(request: FastifyRequest, reply: FastifyReply) {
  return {
    method: request.method,
    path: describePath(request.url),
    address: request.client.address,
    // The id by which `yonder users` knows the user. Null on public routes, and when the token was refused.
    user: request.user?.subject ?? null,
    // Null when no response was sent.
    status: reply.raw.headersSent ? reply.statusCode : null,
    milliseconds: Math.round(reply.elapsedTime),
  }
}
