import type { FastifyInstance } from 'fastify'
import type Provider from 'oidc-provider'

/**
 * Serves the provider under the path of its issuer. What it builds from the request (addresses in its discovery
 * document, secure cookies) follows the issuer alone, whatever the headers say.
 */
export async function mountProvider(app: FastifyInstance, provider: Provider): Promise<void> {
  const { pathname, host, protocol } = new URL(provider.issuer)
  const handle = provider.callback()
  await app.register(async (scope) => {
    // The provider reads its own bodies.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => {
      done(null)
    })
    scope.all(`${pathname}/*`, async (request, reply) => {
      const { raw: req } = request
      const { raw: res } = reply
      for (const [name, value] of Object.entries(reply.getHeaders())) {
        if (value !== undefined) res.setHeader(name, value)
      }
      reply.hijack()
      const path = req.url ?? '/'
      Object.assign(req, { originalUrl: path, url: path.slice(pathname.length) || '/' })
      req.headers.host = host
      delete req.headers['x-forwarded-host']
      req.headers['x-forwarded-proto'] = protocol.slice(0, -1)
      await handle(req, res)
    })
  })
  provider.on('server_error', (_ctx, error) => {
    app.log.error({ err: error }, 'the identity provider failed')
  })
}
