import type { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import type { Dialect } from '../../db/database.ts'
import { toStorageError } from '../../db/storage-problem.ts'
import { retryAfterSeconds } from '../../http/error-handler.ts'
import type { createFailureLimit } from '../../http/failure-limit.ts'
import { AppError } from '../../lib/app-error.ts'
import { createPageErrorHandler } from '../pages/register-pages.ts'
import { isLimitedByFailures, maxBodyBytes, type RequestLimit } from './limit-requests.ts'
import type { LazyProvider } from './provider.ts'

/**
 * The only paths that accept POST. The app sends none to the others, where the library would store the parameters of a
 * body.
 */
const postPaths = new Set(['/token', '/token/revocation', '/session/end/confirm'])

/** Lets the library read a body that was read before. It calls `req.iterator()` when `req.readable` is true. */
function replayBody(req: IncomingMessage, body: Buffer): void {
  Object.defineProperties(req, { readable: { value: true }, iterator: { value: () => [body] } })
}

/**
 * Serves the provider under the path of its issuer. The addresses in its discovery document and the flags of its
 * cookies depend on the issuer only, and not on headers that the client sends.
 */
export async function mountProvider(
  app: FastifyInstance,
  provider: LazyProvider,
  {
    limitRequest,
    limitFailures,
  }: {
    readonly limitRequest: RequestLimit
    /** For the requests of which only failures are limited. */
    readonly limitFailures: ReturnType<typeof createFailureLimit>
    readonly dialect: Dialect
  },
): Promise<void> {
  const { pathname, host, protocol } = new URL(provider.issuer)
  // A change of the signing keys brings another provider.
  const handlers = new WeakMap<Provider, ReturnType<Provider['callback']>>()
  const showFailure = createPageErrorHandler()
  await app.register(async (scope) => {
    scope.addHook('onRequest', limitRequest)
    scope.setErrorHandler((error: FastifyError, request, reply) => {
      if (request.headers.accept?.includes('text/html') === true) return showFailure(error, request, reply)
      const storageError = toStorageError(error)
      if (storageError === null) return app.errorHandler(error, request, reply)
      request.log.error({ err: error }, 'the signing keys could not be read')
      return reply.status(503).header('retry-after', retryAfterSeconds).send(toOAuthError(storageError))
    })
    scope.removeAllContentTypeParsers()
    // The library accepts larger bodies, so they are read here.
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: maxBodyBytes },
      (_request, body, done) => {
        done(null, body)
      },
    )
    scope.all(`${pathname}/*`, async (request, reply) => {
      const path = request.url
      if (request.method === 'POST' && !postPaths.has(path.slice(pathname.length).split('?')[0] ?? '')) {
        throw new AppError('not_found', 'This address does not accept POST.')
      }
      const loaded = await provider.load()
      const handle = handlers.get(loaded) ?? listenToErrors(loaded, app).callback()
      handlers.set(loaded, handle)
      const serve = () => handleRequest(handle, request, reply)
      if (!isLimitedByFailures(request, pathname)) await serve()
      else await limitFailures.run(reply, serve, () => reply.raw.statusCode >= 400)
    })
  })

  async function handleRequest(
    handle: ReturnType<Provider['callback']>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const path = request.url
    const { raw: req } = request
    const { raw: res } = reply
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) res.setHeader(name, value)
    }
    reply.hijack()
    Object.assign(req, { originalUrl: path, url: path.slice(pathname.length) || '/' })
    req.headers.host = host
    delete req.headers['x-forwarded-host']
    req.headers['x-forwarded-proto'] = protocol.slice(0, -1)
    if (request.body instanceof Buffer) replayBody(req, request.body)
    await handle(req, res)
  }
}

function listenToErrors(provider: Provider, app: FastifyInstance): Provider {
  // Without a listener, Koa prints the error to stderr.
  const log = (error: unknown): void => app.log.error({ err: error }, 'the identity provider failed')
  const events: EventEmitter = provider
  events.on('error', log)
  provider.on('server_error', (ctx, error) => {
    log(error)
    const storageError = toStorageError(error)
    // A page has its own status and text (`showError`).
    if (storageError === null || ctx.response.is('json') === false) return
    ctx.status = 503
    ctx.set('retry-after', String(retryAfterSeconds))
    ctx.body = toOAuthError(storageError)
  })
  return provider
}

/** The error of OAuth 2.0 for a request that may be repeated later. */
function toOAuthError({ message }: AppError) {
  return { error: 'temporarily_unavailable', error_description: message }
}
